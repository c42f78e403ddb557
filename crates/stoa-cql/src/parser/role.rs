//! Roles, users and identities.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{
    AddIdentity, AlterRole, AlterUser, CreateRole, CreateUser, DropIdentity, DropRole, DropUser,
    RoleOption, UserPassword,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `CREATE ROLE`.
    pub(super) fn create_role(&mut self) -> Parsed<CreateRole> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.role_name()?;
        let options = self.role_options()?;
        Ok(CreateRole {
            name,
            if_not_exists,
            options,
        })
    }

    /// After `ALTER ROLE`.
    pub(super) fn alter_role(&mut self) -> Parsed<AlterRole> {
        let if_exists = self.if_exists()?;
        let name = self.role_name()?;
        let options = self.role_options()?;
        Ok(AlterRole {
            name,
            if_exists,
            options,
        })
    }

    /// After `DROP ROLE`.
    pub(super) fn drop_role(&mut self) -> Parsed<DropRole> {
        let if_exists = self.if_exists()?;
        let name = self.role_name()?;
        Ok(DropRole { name, if_exists })
    }

    /// `WITH ...`, if it is there.
    fn role_options(&mut self) -> Parsed<Vec<RoleOption>> {
        if !self.take_keyword(Keyword::With) {
            return Ok(Vec::new());
        }
        let mut options = Vec::new();
        self.conjunction(|parser| {
            let option = parser.role_option()?;
            parser.check_once(&options, &option)?;
            options.push(option);
            Ok(())
        })?;
        let is_plain = |option: &RoleOption| matches!(option, RoleOption::Password(_));
        let is_hashed = |option: &RoleOption| matches!(option, RoleOption::HashedPassword(_));
        if options.iter().any(is_plain) && options.iter().any(is_hashed) {
            return self.refuse("Options 'password' and 'hashed password' are mutually exclusive");
        }
        Ok(options)
    }

    /// Some options may be given once; lists of places may not be given along with all places.
    fn check_once(&self, options: &[RoleOption], option: &RoleOption) -> Parsed<()> {
        let kind = std::mem::discriminant(option);
        let contradicts = |other: &RoleOption| {
            matches!(
                (other, option),
                (RoleOption::AllDatacenters, RoleOption::Datacenters(_))
                    | (RoleOption::Datacenters(_), RoleOption::AllDatacenters)
                    | (RoleOption::AllCidrs, RoleOption::Cidrs(_))
                    | (RoleOption::Cidrs(_), RoleOption::AllCidrs)
            )
        };
        if options.iter().any(contradicts) {
            return self.refuse("access to all and to some are mutually exclusive");
        }
        match name_of_single(option) {
            Some(name)
                if options
                    .iter()
                    .any(|other| std::mem::discriminant(other) == kind) =>
            {
                self.refuse(format!("Multiple definition for property '{name}'"))
            }
            _ => Ok(()),
        }
    }

    fn role_option(&mut self) -> Parsed<RoleOption> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.unexpected();
        };
        match keyword {
            Keyword::Password => {
                self.advance();
                self.equal_string().map(RoleOption::Password)
            }
            Keyword::Hashed => {
                self.advance();
                self.expect_keyword(Keyword::Password)?;
                self.equal_string().map(RoleOption::HashedPassword)
            }
            Keyword::Options => {
                self.advance();
                self.expect(TokenKind::Equal)?;
                self.property_map().map(RoleOption::Options)
            }
            Keyword::Superuser => {
                self.advance();
                self.equal_boolean().map(RoleOption::Superuser)
            }
            Keyword::Login => {
                self.advance();
                self.equal_boolean().map(RoleOption::Login)
            }
            Keyword::Access => {
                self.advance();
                self.access()
            }
            _ => self.unexpected(),
        }
    }

    fn equal_string(&mut self) -> Parsed<Box<str>> {
        self.expect(TokenKind::Equal)?;
        self.string_literal()
    }

    fn equal_boolean(&mut self) -> Parsed<bool> {
        self.expect(TokenKind::Equal)?;
        let is_true = self.token_text().eq_ignore_ascii_case("true");
        self.expect(TokenKind::Boolean)?;
        Ok(is_true)
    }

    /// After `ACCESS`.
    fn access(&mut self) -> Parsed<RoleOption> {
        let is_to = match self.peek() {
            TokenKind::Keyword(Keyword::To) => true,
            TokenKind::Keyword(Keyword::From) => false,
            _ => return self.unexpected(),
        };
        self.advance();
        let what = if is_to {
            Keyword::Datacenters
        } else {
            Keyword::Cidrs
        };
        if self.take_keyword(Keyword::All) {
            self.expect_keyword(what)?;
            return Ok(if is_to {
                RoleOption::AllDatacenters
            } else {
                RoleOption::AllCidrs
            });
        }
        if !self.take_keyword(what) {
            return self.unexpected();
        }
        self.expect(TokenKind::OpenBrace)?;
        let names = self.list(Self::string_literal)?;
        self.expect(TokenKind::CloseBrace)?;
        Ok(if is_to {
            RoleOption::Datacenters(names)
        } else {
            RoleOption::Cidrs(names)
        })
    }

    /// After `CREATE USER`.
    pub(super) fn create_user(&mut self) -> Parsed<CreateUser> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.user_name()?;
        let password = self.optional_user_password()?;
        let is_superuser = self.optional_superuser();
        Ok(CreateUser {
            name,
            if_not_exists,
            password,
            is_superuser,
        })
    }

    /// After `ALTER USER`.
    pub(super) fn alter_user(&mut self) -> Parsed<AlterUser> {
        let if_exists = self.if_exists()?;
        let name = self.user_name()?;
        let password = self.optional_user_password()?;
        let is_superuser = self.optional_superuser();
        Ok(AlterUser {
            name,
            if_exists,
            password,
            is_superuser,
        })
    }

    /// After `DROP USER`.
    pub(super) fn drop_user(&mut self) -> Parsed<DropUser> {
        let if_exists = self.if_exists()?;
        let name = self.user_name()?;
        Ok(DropUser { name, if_exists })
    }

    fn user_name(&mut self) -> Parsed<Box<str>> {
        self.word_or_string(
            "Quoted strings are are not supported for user names and USER is deprecated, please use ROLE",
        )
    }

    /// A name that is never folded. Keywords are none, and double quotes are refused.
    fn word_or_string(&mut self, refusal: &str) -> Parsed<Box<str>> {
        match self.peek() {
            TokenKind::Identifier => {
                let name = self.token_text();
                self.advance();
                Ok(name.into())
            }
            TokenKind::String | TokenKind::DollarString => self.string_literal(),
            TokenKind::QuotedName => {
                self.advance();
                self.refuse(refusal)
            }
            _ => self.unexpected(),
        }
    }

    fn optional_user_password(&mut self) -> Parsed<Option<UserPassword>> {
        if !self.take_keyword(Keyword::With) {
            return Ok(None);
        }
        if self.take_keyword(Keyword::Password) {
            return Ok(Some(UserPassword::Plain(self.string_literal()?)));
        }
        if self.take_keywords(Keyword::Hashed, &[Keyword::Password])? {
            return Ok(Some(UserPassword::Hashed(self.string_literal()?)));
        }
        self.unexpected()
    }

    fn optional_superuser(&mut self) -> Option<bool> {
        if self.take_keyword(Keyword::Superuser) {
            Some(true)
        } else if self.take_keyword(Keyword::Nosuperuser) {
            Some(false)
        } else {
            None
        }
    }

    /// After `ADD IDENTITY`.
    pub(super) fn add_identity(&mut self) -> Parsed<AddIdentity> {
        let if_not_exists = self.if_not_exists()?;
        let identity = self.identity()?;
        self.expect_keyword(Keyword::To)?;
        self.expect_keyword(Keyword::Role)?;
        let role = self.identity()?;
        Ok(AddIdentity {
            identity,
            if_not_exists,
            role,
        })
    }

    /// After `DROP IDENTITY`.
    pub(super) fn drop_identity(&mut self) -> Parsed<DropIdentity> {
        let if_exists = self.if_exists()?;
        let identity = self.identity()?;
        Ok(DropIdentity {
            identity,
            if_exists,
        })
    }

    fn identity(&mut self) -> Parsed<Box<str>> {
        self.word_or_string("Quoted strings are are not supported for identity")
    }
}

/// The name of an option that may be given only once.
fn name_of_single(option: &RoleOption) -> Option<&'static str> {
    match option {
        RoleOption::Password(_) => Some("PASSWORD"),
        RoleOption::HashedPassword(_) => Some("HASHED_PASSWORD"),
        RoleOption::Options(_) => Some("OPTIONS"),
        RoleOption::Superuser(_) => Some("SUPERUSER"),
        RoleOption::Login(_) => Some("LOGIN"),
        RoleOption::AllDatacenters
        | RoleOption::Datacenters(_)
        | RoleOption::AllCidrs
        | RoleOption::Cidrs(_) => None,
    }
}
