import Type from "typebox";
import { passwordLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { memberRoles } from "../roles.ts";
import { Email, Name, NewPassword, NullableText, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: people and how they come in. "Admins" stands for the roles owner and admin. */

const closed = { additionalProperties: false } as const;

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

/** Who is signed in, and where. */
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
    needsSecondFactor: Type.Boolean({
      description:
        "Whether that organisation wants a second factor that the person does not have, and lets in nowhere else.",
    }),
    needsProvider: Type.Boolean({
      description:
        "Whether that organisation wants the person to sign in with its identity provider, and lets in nowhere.",
    }),
    isByProvider: Type.Boolean({
      description:
        "Whether the organisation's identity provider has opened it: for this organisation alone, and not for the account.",
    }),
    livePosition: Type.Union([Type.String(), Type.Null()], {
      description:
        "Where `streamEvents` goes on for whoever asks for all that is shown only after this; null where it is not known.",
    }),
  },
  { description: "Who is signed in." },
);
export type Session = Type.Static<typeof Session>;

/** A code of a second factor. */
export const Code = Text({
  minLength: 1,
  maxLength: 40,
  description: "Six digits of an authenticator app, or a code for recovery; spaces and hyphens do not count.",
});

/** Who signs in. At most 30 attempts a minute from an address, 10 of them on one account. */
export const SignIn = Type.Object(
  {
    email: Email,
    password: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The password." }),
    code: Type.Optional(Code),
  },
  { ...closed, description: "Who wants to sign in." },
);
export type SignIn = Type.Static<typeof SignIn>;

/** A session of the person's. */
export const OwnSession = Type.Object(
  {
    id: Uuid("The session."),
    isThis: Type.Boolean({ description: "Whether it is the one that asks." }),
    userAgent: NullableText("What its browser called itself when it signed in."),
    address: NullableText("From where it signed in."),
    signedInAt: Timestamp("When it signed in."),
    usedAt: Timestamp("When it was last used, to the day."),
  },
  { description: "Where the person is signed in." },
);
export type OwnSession = Type.Static<typeof OwnSession>;

/** Every session of the person's. */
export const OwnSessionList = Type.Object(
  { sessions: Type.Array(OwnSession, { description: "The latest used first; at most 100." }) },
  { description: "Where the person is signed in." },
);
export type OwnSessionList = Type.Static<typeof OwnSessionList>;

/** Which organisation to work on from now on. */
export const SwitchOrganisation = Type.Object(
  { organisationId: Uuid("One of the person's organisations.") },
  { ...closed, description: "The organisation to work on." },
);
export type SwitchOrganisation = Type.Static<typeof SwitchOrganisation>;

/** Whether Lodge waits for its first owner. */
export const SetupState = Type.Object(
  {
    needed: Type.Boolean({
      description:
        "Whether nobody can sign in yet and no organisation has a member but its agent, so that the first owner can be made.",
    }),
    sendsMail: Type.Boolean({ description: "Whether a lost password is asked for by e-mail, else of an admin." }),
  },
  { description: "Whether Lodge waits for its first owner, and whether it sends e-mail." },
);
export type SetupState = Type.Static<typeof SetupState>;

/** The first owner, with an organisation of their own. */
export const SetUp = Type.Object(
  { organisationName: Name, name: Name, email: Email, password: NewPassword },
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

/** Every member of the organisation. */
export const MemberList = Type.Object(
  { members: Type.Array(Member, { description: "By name." }) },
  { description: "The members of the organisation, its agent among them." },
);
export type MemberList = Type.Static<typeof MemberList>;

/** A member's new role. */
export const ChangeMember = Type.Object({ role: Role }, { ...closed, description: "The member's new role." });
export type ChangeMember = Type.Static<typeof ChangeMember>;

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

/** Who can be mentioned and assigned: members, never tokens. */
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

/** The invitations that wait; expired ones are among them until they are revoked. */
export const InvitationList = Type.Object(
  { invitations: Type.Array(Invitation, { description: "The newest first." }) },
  { description: "The invitations that wait to be accepted." },
);
export type InvitationList = Type.Static<typeof InvitationList>;

/** Who is invited; an earlier invitation to the same address is replaced. */
export const Invite = Type.Object({ email: Email, role: Role }, { ...closed, description: "Who is invited." });
export type Invite = Type.Static<typeof Invite>;

/** An invitation, with its link. */
export const NewInvitation = Type.Object(
  {
    invitation: Invitation,
    url: Type.String({ description: "The link to hand over, `{base}/invitations/{secret}`. Shown this once." }),
    isMailed: Type.Boolean({ description: "Whether it goes to the address by e-mail as well." }),
  },
  { description: "An invitation with its link." },
);
export type NewInvitation = Type.Static<typeof NewInvitation>;

/** What whoever has the link is told. */
export const InvitationLink = Type.Object(
  {
    organisationName: Type.String({ description: "Where the link leads." }),
    email: Type.String({ description: "Who is invited." }),
    role: Role,
    signInPath: NullableText(
      "The page on which to sign in with the organisation's identity provider; null where it has none.",
    ),
    needsProvider: Type.Boolean({ description: "Whether an account of their own does not let the person in." }),
    hasAccount: Type.Boolean({ description: "Whether the person has a password already, and signs in to accept." }),
  },
  { description: "What an invitation is for." },
);
export type InvitationLink = Type.Static<typeof InvitationLink>;

/**
 * Who accepts. Somebody without an account sends name and password and is signed in; everybody else signs in first and
 * sends `{}`.
 */
export const AcceptInvitation = Type.Object(
  { name: Type.Optional(Name), password: Type.Optional(NewPassword) },
  { ...closed, description: "Who accepts." },
);
export type AcceptInvitation = Type.Static<typeof AcceptInvitation>;

/** Whose password is lost. */
export const LostPassword = Type.Object({ email: Email }, { ...closed, description: "Whose password is lost." });
export type LostPassword = Type.Static<typeof LostPassword>;

/** A link by which a person chooses a new password. */
export const NewPasswordLink = Type.Object(
  {
    url: Type.String({ description: "The link to hand over, `{base}/passwords/{secret}`. Shown this once." }),
    expiresAt: Timestamp("From when on it no longer works; a day after it was made."),
  },
  { description: "A link by which a person chooses a new password." },
);
export type NewPasswordLink = Type.Static<typeof NewPasswordLink>;

/** Whose password a link is for. */
export const PasswordLink = Type.Object(
  { email: Type.String({ description: "The person's e-mail address." }) },
  { description: "Whose password the link is for." },
);
export type PasswordLink = Type.Static<typeof PasswordLink>;

/** The new password. */
export const SetPassword = Type.Object({ password: NewPassword }, { ...closed, description: "The new password." });
export type SetPassword = Type.Static<typeof SetPassword>;

/** What a person is called from now on. */
export const ChangeProfile = Type.Object({ name: Name }, { ...closed, description: "What the person is called." });
export type ChangeProfile = Type.Static<typeof ChangeProfile>;

/** A new password, with the one so far. */
export const ChangePassword = Type.Object(
  {
    currentPassword: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The password so far." }),
    password: NewPassword,
  },
  { ...closed, description: "A new password." },
);
export type ChangePassword = Type.Static<typeof ChangePassword>;

/** An organisation to make, with whoever makes it as its owner. */
export const CreateOrganisation = Type.Object({ name: Name }, { ...closed, description: "An organisation to make." });
export type CreateOrganisation = Type.Static<typeof CreateOrganisation>;

const memberPath = pathId("userId", "member_not_found", "The member's user.");
const invitationPath = pathId("invitationId", "invitation_not_found", "The invitation.");
const sessionPath = pathId("sessionId", "session_not_found", "The session.");
const linkPath = Type.Object({ secret: Type.String({ description: "What the link ends with." }) });

export const getSession = dashboard({
  id: "getSession",
  method: "GET",
  path: "/api/dashboard/session",
  role: "signed-in",
  answers: { 200: Session },
  errors: [],
  summary: "Say who is signed in",
  staleAfter: ["members.changed", "organisation.changed"],
});

export const signIn = dashboard({
  id: "signIn",
  method: "POST",
  path: "/api/dashboard/session",
  role: "everybody",
  body: SignIn,
  answers: { 200: Session },
  errors: [
    "wrong_credentials",
    "second_factor_required",
    "wrong_code",
    "second_factor_unreadable",
    "rate_limit_exceeded",
  ],
  summary: "Sign in",
});

export const switchOrganisation = dashboard({
  id: "switchOrganisation",
  method: "PATCH",
  path: "/api/dashboard/session",
  role: "signed-in",
  body: SwitchOrganisation,
  answers: { 200: Session },
  errors: ["organisation_not_found"],
  summary: "Work on another organisation",
});

export const signOut = dashboard({
  id: "signOut",
  method: "DELETE",
  path: "/api/dashboard/session",
  role: "everybody",
  answers: noContent,
  errors: [],
  summary: "Sign out",
});

export const listSessions = dashboard({
  id: "listSessions",
  method: "GET",
  path: "/api/dashboard/sessions",
  role: "account",
  answers: { 200: OwnSessionList },
  errors: [],
  summary: "List where one is signed in",
});

export const endSession = dashboard({
  id: "endSession",
  method: "DELETE",
  path: "/api/dashboard/sessions/{sessionId}",
  role: "account",
  params: sessionPath,
  answers: noContent,
  errors: ["session_not_found"],
  summary: "End one of one's own sessions",
});

export const endOtherSessions = dashboard({
  id: "endOtherSessions",
  method: "DELETE",
  path: "/api/dashboard/sessions",
  role: "account",
  answers: noContent,
  errors: [],
  summary: "Sign out everywhere else",
  description: "Ends every other session of the person.",
});

export const getSetup = dashboard({
  id: "getSetup",
  method: "GET",
  path: "/api/dashboard/setup",
  role: "everybody",
  answers: { 200: SetupState },
  errors: [],
  summary: "Say whether the first owner is still to be made",
});

export const setUp = dashboard({
  id: "setUp",
  method: "POST",
  path: "/api/dashboard/setup",
  role: "everybody",
  body: SetUp,
  answers: { 201: Session },
  errors: ["already_set_up", "rate_limit_exceeded"],
  summary: "Make the first owner and an organisation",
});

export const getInvitationLink = dashboard({
  id: "getInvitationLink",
  method: "GET",
  path: "/api/dashboard/invitation-links/{secret}",
  role: "everybody",
  params: linkPath,
  answers: { 200: InvitationLink },
  errors: ["invitation_not_found"],
  summary: "Say what an invitation is for",
});

export const acceptInvitation = dashboard({
  id: "acceptInvitation",
  method: "POST",
  path: "/api/dashboard/invitation-links/{secret}",
  role: "everybody",
  params: linkPath,
  body: AcceptInvitation,
  answers: { 200: Session },
  errors: [
    "invitation_not_found",
    "person_elsewhere",
    "invited_somebody_else",
    "not_signed_in",
    "signed_in_by_provider",
    "rate_limit_exceeded",
  ],
  summary: "Accept an invitation",
});

export const losePassword = dashboard({
  id: "losePassword",
  method: "POST",
  path: "/api/dashboard/password-links",
  role: "everybody",
  body: LostPassword,
  answers: noContent,
  errors: ["rate_limit_exceeded", "mail_not_set_up"],
  summary: "Ask for a new password by e-mail",
  description: "The answer is the same whether there is such a person or not.",
});

export const getPasswordLink = dashboard({
  id: "getPasswordLink",
  method: "GET",
  path: "/api/dashboard/password-links/{secret}",
  role: "everybody",
  params: linkPath,
  answers: { 200: PasswordLink },
  errors: ["password_link_not_found"],
  summary: "Say whose password a link is for",
});

export const setPassword = dashboard({
  id: "setPassword",
  method: "POST",
  path: "/api/dashboard/password-links/{secret}",
  role: "everybody",
  params: linkPath,
  body: SetPassword,
  answers: { 200: Session },
  errors: ["password_link_not_found", "rate_limit_exceeded", "wrong_credentials", "second_factor_required"],
  summary: "Choose a new password by a link",
  description:
    "Signs in, and ends every other session of the person. Where there is a second factor the password is changed, and " +
    "`second_factor_required` answered: sign in with a code.",
});

export const makePasswordLink = dashboard({
  id: "makePasswordLink",
  method: "POST",
  path: "/api/dashboard/members/{userId}/password-link",
  role: "admin",
  params: memberPath,
  answers: { 201: NewPasswordLink },
  errors: ["member_not_found", "agent_is_fixed", "member_elsewhere"],
  summary: "Make a link by which a member chooses a new password",
  description: "Owners make one for everybody, admins for members alone.",
});

export const changeProfile = dashboard({
  id: "changeProfile",
  method: "PATCH",
  path: "/api/dashboard/profile",
  role: "account",
  body: ChangeProfile,
  answers: { 200: Session },
  errors: [],
  summary: "Change one's own name",
  description: "What was written and done under the old name keeps it.",
});

export const changePassword = dashboard({
  id: "changePassword",
  method: "POST",
  path: "/api/dashboard/profile/password",
  role: "account",
  body: ChangePassword,
  answers: { 200: Session },
  errors: ["wrong_credentials"],
  summary: "Change one's own password",
  description: "Opens a new session, and ends every other of the person.",
});

export const createOrganisation = dashboard({
  id: "createOrganisation",
  method: "POST",
  path: "/api/dashboard/organisations",
  role: "account",
  body: CreateOrganisation,
  answers: { 201: Session },
  errors: ["too_many"],
  summary: "Make an organisation and work on it",
  description: "Whoever makes it is its owner. A person owns at most 20.",
});

export const listMembers = dashboard({
  id: "listMembers",
  method: "GET",
  path: "/api/dashboard/members",
  role: "member",
  answers: { 200: MemberList },
  errors: [],
  summary: "List the members",
  staleAfter: ["members.changed"],
});

export const changeMember = dashboard({
  id: "changeMember",
  method: "PATCH",
  path: "/api/dashboard/members/{userId}",
  role: "admin",
  params: memberPath,
  body: ChangeMember,
  answers: { 200: Member },
  errors: ["member_not_found", "agent_is_fixed", "last_owner"],
  summary: "Change a member's role",
  description: "Only an owner makes or changes owners.",
});

export const removeMember = dashboard({
  id: "removeMember",
  method: "DELETE",
  path: "/api/dashboard/members/{userId}",
  role: "member",
  params: memberPath,
  answers: noContent,
  errors: ["forbidden", "member_not_found", "agent_is_fixed", "last_owner"],
  summary: "Remove a member, or leave",
  description: "Owners and admins remove others, owners only by an owner; everybody may leave.",
});

export const listPeople = dashboard({
  id: "listPeople",
  method: "GET",
  path: "/api/dashboard/people",
  role: "member",
  answers: { 200: PersonList },
  errors: [],
  summary: "List who can be mentioned and assigned",
  staleAfter: ["members.changed"],
});

export const listInvitations = dashboard({
  id: "listInvitations",
  method: "GET",
  path: "/api/dashboard/invitations",
  role: "admin",
  answers: { 200: InvitationList },
  errors: [],
  summary: "List the invitations",
  staleAfter: ["invitations.changed"],
});

export const invite = dashboard({
  id: "invite",
  method: "POST",
  path: "/api/dashboard/invitations",
  role: "admin",
  body: Invite,
  answers: { 201: NewInvitation },
  errors: ["already_a_member", "too_many"],
  summary: "Invite somebody by link",
  description: "Only an owner invites an owner.",
});

export const revokeInvitation = dashboard({
  id: "revokeInvitation",
  method: "DELETE",
  path: "/api/dashboard/invitations/{invitationId}",
  role: "admin",
  params: invitationPath,
  answers: noContent,
  errors: ["invitation_not_found"],
  summary: "Revoke an invitation",
});
