//! Properties: what stands after `WITH`.

use std::collections::HashSet;

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Literal, Properties, Property, PropertyValue, Term};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `WITH a = b AND ...`
    pub(super) fn with_properties(&mut self) -> Parsed<Properties> {
        self.expect_keyword(Keyword::With)?;
        let mut properties = Properties::default();
        let mut names = PropertyNames::default();
        self.conjunction(|parser| parser.property(&mut properties, &mut names))?;
        Ok(properties)
    }

    /// `WITH ...`, if it is there.
    pub(super) fn optional_properties(&mut self) -> Parsed<Properties> {
        if !self.at_keyword(Keyword::With) {
            return Ok(Properties::default());
        }
        self.with_properties()
    }

    /// One more property.
    pub(super) fn property(
        &mut self,
        properties: &mut Properties,
        names: &mut PropertyNames,
    ) -> Parsed<()> {
        let name = self.name()?;
        self.expect(TokenKind::Equal)?;
        let value = self.property_value()?;
        if !names.0.insert(name.as_str().into()) {
            return self.refuse(format!(
                "Multiple definition for property '{}'",
                name.as_str()
            ));
        }
        properties.0.push(Property { name, value });
        Ok(())
    }

    fn property_value(&mut self) -> Parsed<PropertyValue> {
        if self.at(TokenKind::OpenBrace) {
            return self.property_map().map(PropertyValue::Map);
        }
        if let Some(literal) = self.optional_literal()? {
            return Ok(PropertyValue::Literal(literal));
        }
        match self.peek() {
            TokenKind::Keyword(keyword) if keyword.is_name() => {
                let word = self.token_text();
                self.advance();
                Ok(PropertyValue::Word(word.into()))
            }
            _ => self.unexpected(),
        }
    }

    /// `{'a': 'b'}`: any terms by the grammar, constants by a rule.
    pub(super) fn property_map(&mut self) -> Parsed<Vec<(Literal, Literal)>> {
        self.expect(TokenKind::OpenBrace)?;
        let entries =
            self.nested(|parser| parser.list_until(TokenKind::CloseBrace, Self::map_entry))?;
        let mut literals = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            literals.push(self.property_entry(key, value)?);
        }
        let mut keys = HashSet::with_capacity(literals.len());
        match literals.iter().find(|(key, _)| !keys.insert(&*key.text)) {
            None => Ok(literals),
            Some((key, _)) => self.refuse(format!("Multiple definition for property {}", key.text)),
        }
    }

    fn property_entry(&self, key: Term, value: Term) -> Parsed<(Literal, Literal)> {
        let note = |term: &Term| match term {
            Term::Marker(_) => " (bind variables are not supported in DDL queries)",
            _ => "",
        };
        match (key, value) {
            (Term::Literal(key), Term::Literal(value)) => Ok((key, value)),
            (Term::Literal(key), value) => self.refuse(format!(
                "Invalid property value: {value} for property: {}{}",
                key.text,
                note(&value)
            )),
            (key, _) => self.refuse(format!("Invalid property name: {key}{}", note(&key))),
        }
    }
}

/// Names that have been given a value.
#[derive(Default)]
pub(super) struct PropertyNames(HashSet<Box<str>>);
