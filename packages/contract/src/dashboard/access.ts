import Type from "typebox";
import { memberRoles } from "../roles.ts";
import { Email, Name, Text, Timestamp, Uuid } from "../text.ts";

/**
 * The dashboard's API: people and how they come in.
 *
 * Every route below `/api/dashboard` answers errors as `ErrorBody`. Besides the codes named at each route:
 * - 401 `not_signed_in`: there is no session, or it has ended. Not from `GET` and `POST setup`, `POST session`,
 *   `DELETE session` and the two routes of `invitation-links`.
 * - 403 `no_organisation`: signed in, but a member of no organisation. Not from the routes just named, nor `GET session`,
 *   `PATCH session` and `GET tickets/{ticketId}/place`.
 * - 403 `forbidden`: the role does not allow it. "Admins" below stands for the roles owner and admin.
 * - 403 `untrusted_origin`: a request that changes something came from a page of another origin.
 * - 400 `invalid_input` with `details`; a malformed id in a path is a 404 like that of an unknown one.
 * - 429 `rate_limit_exceeded` with `Retry-After`.
 * What belongs to another organisation is answered exactly as what does not exist.
 * The session is an http-only cookie; a browser sends it by itself to the same origin.
 */

const closed = { additionalProperties: false } as const;

/** A new password: 8 to 128 characters. */
const Password = Text({ minLength: 8, maxLength: 128, description: "At least 8 characters." });

export const Role = Type.Enum([...memberRoles], { description: "What a member may do." });
export type Role = Type.Static<typeof Role>;

/** An organisation that the person belongs to. */
export const Membership = Type.Object(
  {
    id: Uuid("The organisation."),
    name: Type.String({ description: "Its name." }),
    slug: Type.String({ description: "Its name in addresses." }),
    role: Role,
  },
  { description: "An organisation that the person belongs to, with the person's role in it." },
);
export type Membership = Type.Static<typeof Membership>;

/** Answer of `GET`, `POST` and `PATCH /api/dashboard/session`. */
export const Session = Type.Object(
  {
    user: Type.Object({
      id: Uuid("The person."),
      name: Type.String({ description: "The person's name." }),
      email: Type.String({ description: "The person's e-mail address." }),
    }),
    organisations: Type.Array(Membership, { description: "By name." }),
    organisation: Type.Union([Membership, Type.Null()], {
      description: "The one that all other routes work on; null for a member of none.",
    }),
  },
  { description: "Who is signed in." },
);
export type Session = Type.Static<typeof Session>;

/** `POST /api/dashboard/session`: signs in. 200 `Session`. Errors: 401 `wrong_credentials`, 429 after 10 attempts a minute. */
export const SignIn = Type.Object(
  { email: Email, password: Text({ minLength: 1, maxLength: 128, description: "The password." }) },
  { ...closed, description: "Who wants to sign in." },
);
export type SignIn = Type.Static<typeof SignIn>;

/** `PATCH /api/dashboard/session`: works on another organisation from now on. 200 `Session`. Errors: 404 `organisation_not_found`. */
export const SwitchOrganisation = Type.Object(
  { organisationId: Uuid("One of the person's organisations.") },
  { ...closed, description: "The organisation to work on." },
);
export type SwitchOrganisation = Type.Static<typeof SwitchOrganisation>;

// `DELETE /api/dashboard/session`: signs out. 204, also for somebody who is not signed in.

/** Answer of `GET /api/dashboard/setup`; for everybody. */
export const SetupState = Type.Object(
  {
    needed: Type.Boolean({
      description:
        "Whether nobody can sign in yet and no organisation has a member but its agent, so that the first owner can be made.",
    }),
  },
  { description: "Whether Lodge waits for its first owner." },
);
export type SetupState = Type.Static<typeof SetupState>;

/** `POST /api/dashboard/setup`: makes the first owner with an organisation of its own, and signs in. 201 `Session`. Errors: 409 `already_set_up`. */
export const SetUp = Type.Object(
  { organisationName: Name, name: Name, email: Email, password: Password },
  { ...closed, description: "The first owner, and an organisation." },
);
export type SetUp = Type.Static<typeof SetUp>;

/** A member of the organisation. */
export const Member = Type.Object(
  {
    userId: Uuid("The person."),
    name: Type.String({ description: "The person's name." }),
    email: Type.String({ description: "The person's e-mail address." }),
    role: Role,
    isAgent: Type.Boolean({ description: "Whether this is the organisation's AI agent, which cannot be changed." }),
    joinedAt: Timestamp("When the person became a member."),
  },
  { description: "A member of the organisation." },
);
export type Member = Type.Static<typeof Member>;

/** Answer of `GET /api/dashboard/members`; every role. */
export const MemberList = Type.Object(
  { members: Type.Array(Member, { description: "By name." }) },
  { description: "The members of the organisation, its agent among them." },
);
export type MemberList = Type.Static<typeof MemberList>;

/**
 * `PATCH /api/dashboard/members/{userId}`: changes a role. Admins; only an owner makes or changes owners. 200 `Member`.
 * Errors: 404 `member_not_found`, 409 `last_owner`, 409 `agent_is_fixed`.
 */
export const ChangeMember = Type.Object({ role: Role }, { ...closed, description: "The member's new role." });
export type ChangeMember = Type.Static<typeof ChangeMember>;

// `DELETE /api/dashboard/members/{userId}`: removes a member (admins; owners only by an owner), or leaves (everybody).
// 204. Errors: 404 `member_not_found`, 409 `last_owner`, 409 `agent_is_fixed`.

/** A person as others see it. */
export const Person = Type.Object(
  {
    id: Uuid("The user."),
    name: Type.String({ description: "The name." }),
    isAgent: Type.Boolean({ description: "Whether it is the organisation's AI agent." }),
  },
  { description: "A person, or the organisation's agent." },
);
export type Person = Type.Static<typeof Person>;

/** Answer of `GET /api/dashboard/people`; every role. Who can be mentioned and assigned: members, never tokens. */
export const PersonList = Type.Object(
  { people: Type.Array(Person, { description: "By name." }) },
  { description: "Who can be mentioned and assigned." },
);
export type PersonList = Type.Static<typeof PersonList>;

/** An invitation that has not been accepted. */
export const Invitation = Type.Object(
  {
    id: Uuid("The invitation."),
    email: Type.String({ description: "Who is invited." }),
    role: Role,
    invitedBy: Type.String({ description: "The name of who invited." }),
    createdAt: Timestamp("When it was made."),
    expiresAt: Timestamp("From when on its link no longer works; 7 days after it was made."),
  },
  { description: "An invitation that waits to be accepted." },
);
export type Invitation = Type.Static<typeof Invitation>;

/** Answer of `GET /api/dashboard/invitations`; admins. Expired ones are in it until they are revoked. */
export const InvitationList = Type.Object(
  { invitations: Type.Array(Invitation, { description: "The newest first." }) },
  { description: "The invitations that wait to be accepted." },
);
export type InvitationList = Type.Static<typeof InvitationList>;

/**
 * `POST /api/dashboard/invitations`: invites by link; admins, and only an owner invites an owner. 201 `NewInvitation`.
 * An earlier invitation to the same address is replaced. Errors: 409 `already_a_member`.
 */
export const Invite = Type.Object({ email: Email, role: Role }, { ...closed, description: "Who is invited." });
export type Invite = Type.Static<typeof Invite>;

/** Answer of `POST /api/dashboard/invitations`. */
export const NewInvitation = Type.Object(
  {
    invitation: Invitation,
    url: Type.String({ description: "The link to hand over, `{base}/invitations/{secret}`. Shown this once." }),
  },
  { description: "An invitation with its link." },
);
export type NewInvitation = Type.Static<typeof NewInvitation>;

// `DELETE /api/dashboard/invitations/{invitationId}`: revokes; admins. 204. Errors: 404 `invitation_not_found`.

/** Answer of `GET /api/dashboard/invitation-links/{secret}`; whoever has the link. Errors: 404 `invitation_not_found`. */
export const InvitationLink = Type.Object(
  {
    organisationName: Type.String({ description: "Where the link leads." }),
    email: Type.String({ description: "Who is invited." }),
    role: Role,
    hasAccount: Type.Boolean({ description: "Whether the person has a password already, and signs in to accept." }),
  },
  { description: "What an invitation is for." },
);
export type InvitationLink = Type.Static<typeof InvitationLink>;

/**
 * `POST /api/dashboard/invitation-links/{secret}`: accepts, works on that organisation from now on. 200 `Session`.
 * Somebody without an account sends name and password and is signed in; everybody else signs in first and sends `{}`.
 * Errors: 404 `invitation_not_found`, 401 `not_signed_in` (has an account: sign in first), 403 `invited_somebody_else`
 * (signed in with another address), 400 `invalid_input` (no account: name and password are required).
 */
export const AcceptInvitation = Type.Object(
  { name: Type.Optional(Name), password: Type.Optional(Password) },
  { ...closed, description: "Who accepts." },
);
export type AcceptInvitation = Type.Static<typeof AcceptInvitation>;
