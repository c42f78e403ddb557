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
        let mut seen = Vec::new();
        self.conjunction(|parser| {
            let option = parser.role_option()?;
            parser.check_once(&mut seen, OptionKind::of(&option))?;
            Ok(option)
        })
    }

    /// Most options may be given once; lists of places may not be given along with all places.
    fn check_once(&self, seen: &mut Vec<OptionKind>, kind: OptionKind) -> Parsed<()> {
        let is_second = seen.contains(&kind);
        if let (true, Some(name)) = (is_second, kind.name_if_single()) {
            return self.refuse(format!("Multiple definition for property '{name}'"));
        }
        if !is_second {
            seen.push(kind);
        }
        let are_both = |one, other| seen.contains(&one) && seen.contains(&other);
        if are_both(OptionKind::Password, OptionKind::HashedPassword) {
            return self.refuse("Options 'password' and 'hashed password' are mutually exclusive");
        }
        if are_both(OptionKind::AllDatacenters, OptionKind::Datacenters)
            || are_both(OptionKind::AllCidrs, OptionKind::Cidrs)
        {
            return self.refuse("access to all and to some are mutually exclusive");
        }
        Ok(())
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

/// Which option of a role it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionKind {
    Password,
    HashedPassword,
    Options,
    Superuser,
    Login,
    AllDatacenters,
    Datacenters,
    AllCidrs,
    Cidrs,
}

impl OptionKind {
    fn of(option: &RoleOption) -> Self {
        match option {
            RoleOption::Password(_) => Self::Password,
            RoleOption::HashedPassword(_) => Self::HashedPassword,
            RoleOption::Options(_) => Self::Options,
            RoleOption::Superuser(_) => Self::Superuser,
            RoleOption::Login(_) => Self::Login,
            RoleOption::AllDatacenters => Self::AllDatacenters,
            RoleOption::Datacenters(_) => Self::Datacenters,
            RoleOption::AllCidrs => Self::AllCidrs,
            RoleOption::Cidrs(_) => Self::Cidrs,
        }
    }

    /// Its name, if it may be given only once.
    fn name_if_single(self) -> Option<&'static str> {
        match self {
            Self::Password => Some("PASSWORD"),
            Self::HashedPassword => Some("HASHED_PASSWORD"),
            Self::Options => Some("OPTIONS"),
            Self::Superuser => Some("SUPERUSER"),
            Self::Login => Some("LOGIN"),
            Self::AllDatacenters | Self::Datacenters | Self::AllCidrs | Self::Cidrs => None,
        }
    }
}
