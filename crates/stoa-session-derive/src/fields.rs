//! The struct that a derive is written on: its fields, their names in CQL, its lifetime.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, GenericParam, Generics, Ident, LitStr, Type};

/// A struct with named fields.
pub(crate) struct Struct {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<NamedField>,
}

/// One field.
pub(crate) struct NamedField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Its name in CQL.
    pub(crate) name: String,
    pub(crate) has_default: bool,
}

impl Struct {
    pub(crate) fn parse(input: &DeriveInput) -> Result<Self, Error> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(input.span(), "only a struct can be derived"));
        };
        let Fields::Named(named) = &data.fields else {
            let message = "only a struct with named fields can be derived; use a tuple instead";
            return Err(Error::new(input.span(), message));
        };
        if input.generics.lifetimes().count() > 1 {
            let message = "at most one lifetime, that of the answer, is possible";
            return Err(Error::new(input.generics.span(), message));
        }
        Ok(Self {
            ident: input.ident.clone(),
            generics: input.generics.clone(),
            fields: named
                .named
                .iter()
                .map(NamedField::parse)
                .collect::<Result<_, _>>()?,
        })
    }

    /// For an implementation that reads: the answer's lifetime, the generics with it, those of the
    /// struct, and the conditions.
    pub(crate) fn reading(&self) -> (TokenStream, TokenStream, TokenStream, TokenStream) {
        let (_, ty_generics, where_clause) = self.generics.split_for_impl();
        let mut generics = self.generics.clone();
        let own = self
            .generics
            .lifetimes()
            .next()
            .map(|own| own.lifetime.clone());
        let row = match own {
            Some(own) => own.into_token_stream(),
            None => {
                generics
                    .params
                    .insert(0, GenericParam::Lifetime(syn::parse_quote!('row)));
                quote!('row)
            }
        };
        let (impl_generics, _, _) = generics.split_for_impl();
        (
            row,
            impl_generics.into_token_stream(),
            ty_generics.into_token_stream(),
            where_clause.into_token_stream(),
        )
    }

    /// `("name", &self.field)` for every field.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = TokenStream> {
        self.fields.iter().map(|NamedField { ident, name, .. }| {
            quote!((#name, &self.#ident as &dyn ::stoa_session::ToCql))
        })
    }
}

impl NamedField {
    fn parse(field: &Field) -> Result<Self, Error> {
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new(field.span(), "a field needs a name"));
        };
        let mut named = Self {
            name: ident.unraw().to_string(),
            ident,
            ty: field.ty.clone(),
            has_default: false,
        };
        for attribute in field
            .attrs
            .iter()
            .filter(|found| found.path().is_ident("cql"))
        {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") {
                    named.name = meta.value()?.parse::<LitStr>()?.value();
                    Ok(())
                } else if meta.path.is_ident("default") {
                    named.has_default = true;
                    Ok(())
                } else {
                    Err(meta.error("expected rename = \"name\" or default"))
                }
            })?;
        }
        Ok(named)
    }
}
