//! The member whose credits a simulation of the command line spends.

use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::email::Email;
use crate::error::{Error, Result};
use crate::models::group_members::{Member, NewMember};
use crate::models::groups::NewGroup;
use crate::models::transactions::{Amount, BudgetGrant};
use crate::models::users::{NewUser, Role, User};
use crate::schema::{group_members, groups};

/// E-mail of the account that pays for simulations without `--as`.
const OPERATOR: &str = "operator@localhost.localdomain";
const OPERATORS_GROUP: &str = "Local operator";

/// The member whose credits a command spends.
#[derive(Clone, Debug, clap::Args)]
pub struct PayerArgs {
    /// Run on this member's credits [default: the machine's local operator, who is granted what it costs]
    #[arg(long = "as", value_name = "EMAIL")]
    pub payer: Option<String>,
    /// The member's group that pays, if they are in several
    #[arg(long, value_name = "ID", requires = "payer")]
    pub group: Option<i64>,
}

impl PayerArgs {
    /// Finds the member, or the local operator.
    pub async fn find(&self, conn: &mut AsyncPgConnection) -> Result<Payer> {
        match &self.payer {
            Some(email) => member(conn, email, self.group).await,
            None => operator(conn).await,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Payer {
    pub user_id: i64,
    pub group_id: i64,
    pub is_operator: bool,
    /// Credits granted to the local operator for this start.
    pub granted: Option<i64>,
}

/// Returns the member with this e-mail, in the given group or in the only group that they are in.
async fn member(conn: &mut AsyncPgConnection, email: &str, group: Option<i64>) -> Result<Payer> {
    let address = Email::parse(email).map_err(|reason| Error::bad_input(format!("--as {email}: {reason}")))?;
    let user = User::find_by_email(conn, &address).await?;
    let user = user.ok_or_else(|| Error::bad_input(format!("--as {email}: nobody has this e-mail address")))?;
    if let Some(group_id) = group {
        let member = Member::find(conn, group_id, user.id).await?;
        let member =
            member.ok_or_else(|| Error::bad_input(format!("--group {group_id}: {email} is no member of it")))?;
        return Ok(Payer { user_id: user.id, group_id: member.group_id, is_operator: false, granted: None });
    }
    let groups: Vec<i64> = group_members::table
        .filter(group_members::user_id.eq(user.id))
        .filter(group_members::removed_at.is_null())
        .order(group_members::group_id)
        .select(group_members::group_id)
        .load(conn)
        .await?;
    match groups[..] {
        [group_id] => Ok(Payer { user_id: user.id, group_id, is_operator: false, granted: None }),
        [] => Err(Error::bad_input(format!("--as {email}: is a member of no group, so nobody's credits can pay"))),
        _ => {
            let ids = groups.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            Err(Error::bad_input(format!("--as {email}: is a member of groups {ids}: name one with --group")))
        }
    }
}

impl Payer {
    /// Grants the local operator the cost of a start. A member gets nothing.
    pub async fn granted(self, conn: &mut AsyncPgConnection, cost: i64) -> Result<Self> {
        if !self.is_operator {
            return Ok(self);
        }
        let Self { group_id, user_id, .. } = self;
        let description = "Granted for a run from the command line";
        let grant = BudgetGrant { group_id, user_id, amount: Amount::Add(cost), description, created_by: user_id };
        grant.book(conn).await.map_err(|reason| Error::internal(reason.to_string()))?;
        Ok(Self { granted: Some(cost), ..self })
    }
}

/// Returns the local operator, created if needed.
async fn operator(conn: &mut AsyncPgConnection) -> Result<Payer> {
    let address = Email::parse(OPERATOR).map_err(|reason| Error::internal(reason.to_string()))?;
    conn.transaction(async |conn| {
        NewUser { email: &address, name: Some("Local operator"), role: Role::User }.create(conn).await?;
        let user = User::find_by_email(conn, &address).await?;
        let user = user.ok_or_else(|| Error::internal("the local operator's account was deleted"))?;
        // The lock on the owner's row keeps two first runs from creating two groups.
        let known: Option<i64> = groups::table
            .inner_join(crate::schema::users::table)
            .filter(groups::owner_id.eq(user.id))
            .filter(groups::deleted_at.is_null())
            .order(groups::id)
            .select(groups::id)
            .for_update()
            .first(conn)
            .await
            .optional()?;
        let group_id = match known {
            Some(id) => id,
            None => {
                NewGroup { group_name: OPERATORS_GROUP, owner_id: user.id, default_budget_per_user: 0 }
                    .create(conn)
                    .await?
                    .id
            }
        };
        let new = NewMember { group_id, user_id: user.id, budget: 0, created_by: user.id };
        new.admit(conn).await.map_err(|reason| Error::internal(reason.to_string()))?;
        Ok(Payer { user_id: user.id, group_id, is_operator: true, granted: None })
    })
    .await
}
