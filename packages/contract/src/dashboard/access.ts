import Type from "typebox";
import { passwordLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { memberRoles } from "../roles.ts";
import { Email, Name, NewPassword, NullableText, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for people, sessions and invitations. "Admins" are owners and admins. */

const closed = { additionalProperties: false } as const;

export const Role = Type.Enum([...memberRoles], { description: "The role of the member." });
export type Role = Type.Static<typeof Role>;

/** An organisation that the person belongs to. */
export const Membership = Type.Object(
  {
    id: Uuid("The organisation."),
    name: Type.String({ description: "The name." }),
    slug: Type.String({ description: "The slug, used in URLs." }),
    role: Role,
  },
  { description: "One of the person's organisations, with their role in it." },
);
export type Membership = Type.Static<typeof Membership>;

/** The session: the person and their organisations. */
export const Session = Type.Object(
  {
    user: Type.Object({
      id: Uuid("The person."),
      name: Type.String({ description: "The person's name." }),
      email: Type.String({ description: "The person's e-mail address." }),
    }),
    organisations: Type.Array(Membership, { description: "Sorted by name." }),
    organisation: Type.Union([Membership, Type.Null()], {
      description: "The organisation that all other operations work on. Null if none is selected.",
    }),
    needsSecondFactor: Type.Boolean({
      description: "Whether the person must set up two-factor authentication before they can continue.",
    }),
    needsProvider: Type.Boolean({
      description:
        "Whether the person must sign in with the organisation's identity provider before they can continue.",
    }),
    isByProvider: Type.Boolean({
      description:
        "Whether the organisation's identity provider opened the session. It then only gives access to this organisation, not to the account.",
    }),
    livePosition: Type.Union([Type.String(), Type.Null()], {
      description:
        "The position to start `streamEvents` from, so that you miss no change to data that you fetch after this response. Null if unknown.",
    }),
  },
  { description: "The session: the person and their organisations." },
);
export type Session = Type.Static<typeof Session>;

/** A code of a second factor. */
export const Code = Text({
  minLength: 1,
  maxLength: 40,
  description: "Six digits from an authenticator app, or a recovery code. Spaces and hyphens are ignored.",
});

/** The credentials to sign in. At most 30 attempts per minute from an IP address, 10 of them for one account. */
export const SignIn = Type.Object(
  {
    email: Email,
    password: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The password." }),
    code: Type.Optional(Code),
  },
  { ...closed, description: "The credentials." },
);
export type SignIn = Type.Static<typeof SignIn>;

/** A session of the person. */
export const OwnSession = Type.Object(
  {
    id: Uuid("The session."),
    isThis: Type.Boolean({ description: "Whether this is the session of the request." }),
    userAgent: NullableText("The browser's user agent at sign-in."),
    address: NullableText("The IP address at sign-in."),
    signedInAt: Timestamp("When the person signed in."),
    usedAt: Timestamp("When the session was last used, to the day."),
  },
  { description: "The person's sessions." },
);
export type OwnSession = Type.Static<typeof OwnSession>;

/** All sessions of the person. */
export const OwnSessionList = Type.Object(
  { sessions: Type.Array(OwnSession, { description: "Most recently used first, at most 100." }) },
  { description: "The person's sessions." },
);
export type OwnSessionList = Type.Static<typeof OwnSessionList>;

/** The organisation to switch to. */
export const SwitchOrganisation = Type.Object(
  { organisationId: Uuid("One of the person's organisations.") },
  { ...closed, description: "The organisation to switch to." },
);
export type SwitchOrganisation = Type.Static<typeof SwitchOrganisation>;

/** Whether Lodge is set up. */
export const SetupState = Type.Object(
  {
    needed: Type.Boolean({
      description: "Whether this Lodge has no members yet, so that the first owner can be created.",
    }),
    sendsMail: Type.Boolean({
      description: "Whether this Lodge sends password links by e-mail. If not, admins create them.",
    }),
  },
  { description: "Whether this Lodge is set up." },
);
export type SetupState = Type.Static<typeof SetupState>;

/** The first owner with their organisation. */
export const SetUp = Type.Object(
  { organisationName: Name, name: Name, email: Email, password: NewPassword },
  { ...closed, description: "The first owner and their organisation." },
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
    isOfProvider: Type.Boolean({
      description:
        "Whether the organisation's identity provider created the account. Such an account has no password and only works in this organisation.",
    }),
    joinedAt: Timestamp("When the person became a member."),
  },
  { description: "A member of the organisation." },
);
export type Member = Type.Static<typeof Member>;

/** Every member of the organisation. */
export const MemberList = Type.Object(
  { members: Type.Array(Member, { description: "Sorted by name." }) },
  { description: "The members of the organisation, including its agent." },
);
export type MemberList = Type.Static<typeof MemberList>;

/** A member's new role. */
export const ChangeMember = Type.Object({ role: Role }, { ...closed, description: "The member's new role." });
export type ChangeMember = Type.Static<typeof ChangeMember>;

/** A person as others see them. */
export const Person = Type.Object(
  {
    id: Uuid("The user."),
    name: Type.String({ description: "The name." }),
    isAgent: Type.Boolean({ description: "Whether this is the organisation's AI agent." }),
  },
  { description: "A person or the organisation's agent." },
);
export type Person = Type.Static<typeof Person>;

/** The people who can be mentioned and assigned: members, never tokens. */
export const PersonList = Type.Object(
  { people: Type.Array(Person, { description: "Sorted by name." }) },
  { description: "The people who can be mentioned and assigned." },
);
export type PersonList = Type.Static<typeof PersonList>;

/** An invitation that has not been accepted. */
export const Invitation = Type.Object(
  {
    id: Uuid("The invitation."),
    email: Type.String({ description: "The invited e-mail address." }),
    role: Role,
    invitedBy: Type.String({ description: "The name of the inviter." }),
    createdAt: Timestamp("When it was created."),
    expiresAt: Timestamp("When the link expires, 7 days after it was created."),
  },
  { description: "An open invitation." },
);
export type Invitation = Type.Static<typeof Invitation>;

/** The open invitations, including expired ones until they are revoked. */
export const InvitationList = Type.Object(
  { invitations: Type.Array(Invitation, { description: "Newest first." }) },
  { description: "The open invitations." },
);
export type InvitationList = Type.Static<typeof InvitationList>;

/** A person to invite. Replaces an earlier invitation to the same e-mail address. */
export const Invite = Type.Object(
  { email: Email, role: Role },
  { ...closed, description: "The invited e-mail address." },
);
export type Invite = Type.Static<typeof Invite>;

/** An invitation, with its link. */
export const NewInvitation = Type.Object(
  {
    invitation: Invitation,
    url: Type.String({
      description:
        "The link to pass on, `{base}/invitations/{secret}`. Returned only once. Using it does not verify the e-mail address, because you have seen the link too.",
    }),
    isMailed: Type.Boolean({
      description: "Whether Lodge also e-mails another link, which verifies the address.",
    }),
  },
  { description: "The invitation with its link." },
);
export type NewInvitation = Type.Static<typeof NewInvitation>;

/** The information that everybody with the link gets. */
export const InvitationLink = Type.Object(
  {
    organisationName: Type.String({ description: "The name of the organisation." }),
    email: Type.String({ description: "The invited e-mail address." }),
    role: Role,
    signInPath: NullableText("The page to sign in with the organisation's identity provider. Null if it has none."),
    needsProvider: Type.Boolean({ description: "Whether the person must sign in with the identity provider." }),
  },
  { description: "The invitation's organisation and person." },
);
export type InvitationLink = Type.Static<typeof InvitationLink>;

/**
 * The acceptance of an invitation. Somebody without an account sends name and password and is signed in; everybody
 * else signs in first and sends `{}`. The link does not reveal whether the invited person has an account.
 */
export const AcceptInvitation = Type.Object(
  { name: Type.Optional(Name), password: Type.Optional(NewPassword) },
  { ...closed, description: "The name and password of a new person. Empty if the person is signed in." },
);
export type AcceptInvitation = Type.Static<typeof AcceptInvitation>;

/** A request for a password link. */
export const LostPassword = Type.Object(
  { email: Email },
  { ...closed, description: "The e-mail address of the account." },
);
export type LostPassword = Type.Static<typeof LostPassword>;

/** A link to set a new password. */
export const NewPasswordLink = Type.Object(
  {
    url: Type.String({ description: "The link to pass on, `{base}/passwords/{secret}`. Returned only once." }),
    expiresAt: Timestamp("When the link expires, a day after it was created."),
  },
  { description: "A password link." },
);
export type NewPasswordLink = Type.Static<typeof NewPasswordLink>;

/** The person of a password link. */
export const PasswordLink = Type.Object(
  {
    email: Type.String({ description: "The person's e-mail address." }),
    verifiesAddress: Type.Boolean({
      description:
        "Whether using the link verifies the e-mail address for the first time. This removes passkeys, second factors, links to identity providers and memberships that somebody else may have added.",
    }),
  },
  { description: "The person of a password link." },
);
export type PasswordLink = Type.Static<typeof PasswordLink>;

/** The new password. */
export const SetPassword = Type.Object({ password: NewPassword }, { ...closed, description: "The new password." });
export type SetPassword = Type.Static<typeof SetPassword>;

/** The person's new name. */
export const ChangeProfile = Type.Object({ name: Name }, { ...closed, description: "The person's new name." });
export type ChangeProfile = Type.Static<typeof ChangeProfile>;

/** A new password, with the current one. */
export const ChangePassword = Type.Object(
  {
    currentPassword: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The current password." }),
    password: NewPassword,
  },
  { ...closed, description: "The new password." },
);
export type ChangePassword = Type.Static<typeof ChangePassword>;

/** An organisation to create. */
export const CreateOrganisation = Type.Object(
  { name: Name },
  { ...closed, description: "The organisation to create." },
);
export type CreateOrganisation = Type.Static<typeof CreateOrganisation>;

const memberPath = pathId("userId", "member_not_found", "The user id of the member.");
const invitationPath = pathId("invitationId", "invitation_not_found", "The invitation.");
const sessionPath = pathId("sessionId", "session_not_found", "The session.");
const linkPath = Type.Object({ secret: Type.String({ description: "The secret at the end of the link." }) });

export const getSession = dashboard({
  id: "getSession",
  method: "GET",
  path: "/api/dashboard/session",
  role: "signed-in",
  answers: { 200: Session },
  errors: [],
  summary: "Get the session",
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
  summary: "Switch to another organisation",
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
  summary: "List your sessions",
});

export const endSession = dashboard({
  id: "endSession",
  method: "DELETE",
  path: "/api/dashboard/sessions/{sessionId}",
  role: "account",
  params: sessionPath,
  answers: noContent,
  errors: ["session_not_found"],
  summary: "End one of your sessions",
});

export const endOtherSessions = dashboard({
  id: "endOtherSessions",
  method: "DELETE",
  path: "/api/dashboard/sessions",
  role: "account",
  answers: noContent,
  errors: [],
  summary: "Sign out everywhere else",
  description: "Ends all other sessions of the person.",
});

export const getSetup = dashboard({
  id: "getSetup",
  method: "GET",
  path: "/api/dashboard/setup",
  role: "everybody",
  answers: { 200: SetupState },
  errors: [],
  summary: "Check whether this Lodge is set up",
});

export const setUp = dashboard({
  id: "setUp",
  method: "POST",
  path: "/api/dashboard/setup",
  role: "everybody",
  body: SetUp,
  answers: { 201: Session },
  errors: ["already_set_up", "rate_limit_exceeded"],
  summary: "Create the first owner and an organisation",
});

export const getInvitationLink = dashboard({
  id: "getInvitationLink",
  method: "GET",
  path: "/api/dashboard/invitation-links/{secret}",
  role: "everybody",
  params: linkPath,
  answers: { 200: InvitationLink },
  errors: ["invitation_not_found"],
  summary: "Get an invitation",
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
  summary: "Request a password link by e-mail",
  description: "The response is the same if no account has this e-mail address.",
});

export const getPasswordLink = dashboard({
  id: "getPasswordLink",
  method: "GET",
  path: "/api/dashboard/password-links/{secret}",
  role: "everybody",
  params: linkPath,
  answers: { 200: PasswordLink },
  errors: ["password_link_not_found"],
  summary: "Get a password link",
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
  summary: "Set a new password with a link",
  description:
    "Signs the person in and ends their other sessions. A link sent by e-mail verifies the address. If the address was not verified " +
    "before, Lodge removes everything that was added to the account, except memberships created by the operator or by an e-mailed " +
    "invitation. If the person has a second factor, the password is changed, but the response is `second_factor_required`: sign in with a code.",
});

export const makePasswordLink = dashboard({
  id: "makePasswordLink",
  method: "POST",
  path: "/api/dashboard/members/{userId}/password-link",
  role: "admin",
  params: memberPath,
  answers: { 201: NewPasswordLink },
  errors: ["member_not_found", "agent_is_fixed", "account_of_provider", "member_elsewhere"],
  summary: "Create a password link for a member",
  description: "Owners can create links for everybody, admins only for people with the role member.",
});

export const changeProfile = dashboard({
  id: "changeProfile",
  method: "PATCH",
  path: "/api/dashboard/profile",
  role: "account",
  body: ChangeProfile,
  answers: { 200: Session },
  errors: [],
  summary: "Update your name",
  description: "Comments and history keep the old name.",
});

export const changePassword = dashboard({
  id: "changePassword",
  method: "POST",
  path: "/api/dashboard/profile/password",
  role: "account",
  body: ChangePassword,
  answers: { 200: Session },
  errors: ["wrong_credentials"],
  summary: "Change your password",
  description: "Opens a new session and ends all other sessions of the person.",
});

export const createOrganisation = dashboard({
  id: "createOrganisation",
  method: "POST",
  path: "/api/dashboard/organisations",
  role: "account",
  body: CreateOrganisation,
  answers: { 201: Session },
  errors: ["too_many"],
  summary: "Create an organisation and switch to it",
  description: "The person who creates the organisation becomes its owner. A person can own at most 20 organisations.",
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
  summary: "Update a member's role",
  description: "Only owners can add or change owners.",
});

export const removeMember = dashboard({
  id: "removeMember",
  method: "DELETE",
  path: "/api/dashboard/members/{userId}",
  role: "member",
  params: memberPath,
  answers: noContent,
  errors: ["forbidden", "member_not_found", "agent_is_fixed", "last_owner"],
  summary: "Remove a member, or leave the organisation",
  description: "Owners and admins can remove members, and only owners can remove owners. Everybody can leave.",
});

export const listPeople = dashboard({
  id: "listPeople",
  method: "GET",
  path: "/api/dashboard/people",
  role: "member",
  answers: { 200: PersonList },
  errors: [],
  summary: "List the people who can be mentioned and assigned",
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
  summary: "Invite a person",
  description: "Only owners can invite owners.",
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
