//! Derives of `stoa-session`, which re-exports and documents them: rows and values as structs.
//!
//! | Derive | A struct becomes |
//! |---|---|
//! | `FromRow` | what a row can be read into, field by column |
//! | `ToValues` | what can be bound to a statement, field by variable |
//! | `FromCql`, `ToCql` | a user-defined type, field by field |
//!
//! | Attribute of a field | Meaning |
//! |---|---|
//! | `#[cql(rename = "name")]` | the column, variable or field is called otherwise |
//! | `#[cql(default)]` | `FromRow` only: without its column, or where it is null, `Default` |
#![forbid(unsafe_code)]

mod fields;

use proc_macro::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_macro_input};

use fields::Struct;

/// Reads a row into a struct.
#[proc_macro_derive(FromRow, attributes(cql))]
pub fn from_row(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), |shape| {
        let Struct { ident, fields, .. } = &shape;
        let (row, impl_generics, ty_generics, where_clause) = shape.reading();
        let checks = fields.iter().map(|field| {
            let (name, ty) = (&field.name, &field.ty);
            if field.has_default {
                quote!(layout.allow::<#ty>(columns, #name)?;)
            } else {
                quote!(layout.require::<#ty>(columns, #name)?;)
            }
        });
        let reads = fields.iter().enumerate().map(|(index, field)| {
            let member = &field.ident;
            if field.has_default {
                quote!(#member: layout.read_or_default(row, #index)?)
            } else {
                quote!(#member: layout.read(row, #index)?)
            }
        });
        quote! {
            impl #impl_generics ::stoa_session::FromRow<#row> for #ident #ty_generics #where_clause {
                fn layout(
                    columns: &[::stoa_session::Column],
                ) -> ::std::result::Result<
                    ::stoa_session::rows::Layout,
                    ::stoa_session::rows::RowError,
                > {
                    let mut layout = ::stoa_session::rows::Layout::new();
                    #(#checks)*
                    ::std::result::Result::Ok(layout)
                }

                fn from_row(
                    row: &::stoa_session::Row<#row>,
                    layout: &::stoa_session::rows::Layout,
                ) -> ::std::result::Result<Self, ::stoa_session::rows::RowError> {
                    ::std::result::Result::Ok(Self { #(#reads,)* })
                }
            }
        }
    })
}

/// Binds a struct to the variables of a statement.
#[proc_macro_derive(ToValues, attributes(cql))]
pub fn to_values(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), |shape| {
        let Struct { ident, .. } = &shape;
        let pairs = shape.pairs();
        let (impl_generics, ty_generics, where_clause) = shape.generics.split_for_impl();
        quote! {
            impl #impl_generics ::stoa_session::ToValues for #ident #ty_generics #where_clause {
                fn write_values(
                    &self,
                    variables: &[::stoa_session::Column],
                    out: &mut ::stoa_session::BoundValues,
                ) -> ::std::result::Result<(), ::stoa_session::bind::BindError> {
                    ::stoa_session::bind::write_fields(&[#(#pairs),*], variables, out)
                }
            }
        }
    })
}

/// Reads a user-defined type into a struct.
#[proc_macro_derive(FromCql, attributes(cql))]
pub fn from_cql(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), |shape| {
        let Struct { ident, fields, .. } = &shape;
        let (row, impl_generics, ty_generics, where_clause) = shape.reading();
        let checks = fields.iter().map(|field| {
            let (name, ty) = (&field.name, &field.ty);
            quote!(::stoa_session::from_cql::check_user_field::<#ty>(data_type, #name)?;)
        });
        let reads = fields.iter().map(|field| {
            let (member, name) = (&field.ident, &field.name);
            quote!(#member: fields.get(#name)?)
        });
        quote! {
            impl #impl_generics ::stoa_session::FromCql<#row> for #ident #ty_generics #where_clause {
                fn check(
                    data_type: &::stoa_session::DataType,
                ) -> ::std::result::Result<(), ::stoa_session::bind::ValueError> {
                    #(#checks)*
                    ::std::result::Result::Ok(())
                }

                fn from_bytes(
                    data_type: &::stoa_session::DataType,
                    bytes: &#row [u8],
                ) -> ::std::result::Result<Self, ::stoa_session::bind::ValueError> {
                    let fields = ::stoa_session::from_cql::UserFields::of(data_type, bytes)?;
                    ::std::result::Result::Ok(Self { #(#reads,)* })
                }
            }
        }
    })
}

/// Writes a struct as a user-defined type.
#[proc_macro_derive(ToCql, attributes(cql))]
pub fn to_cql(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), |shape| {
        let Struct { ident, .. } = &shape;
        let pairs = shape.pairs();
        let (impl_generics, ty_generics, where_clause) = shape.generics.split_for_impl();
        quote! {
            impl #impl_generics ::stoa_session::ToCql for #ident #ty_generics #where_clause {
                fn write_cql(
                    &self,
                    data_type: &::stoa_session::DataType,
                    out: &mut ::std::vec::Vec<u8>,
                ) -> ::std::result::Result<
                    ::stoa_session::to_cql::Presence,
                    ::stoa_session::bind::ValueError,
                > {
                    ::stoa_session::to_cql::write_user_type(&[#(#pairs),*], data_type, out)
                }
            }
        }
    })
}

/// Writes the implementation, or a compiler error at the right place.
fn expand(
    input: &DeriveInput,
    write: impl FnOnce(Struct) -> proc_macro2::TokenStream,
) -> TokenStream {
    match Struct::parse(input) {
        Ok(shape) => write(shape).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
