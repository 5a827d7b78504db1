// Made by npm run generate from the operations of the contract.
import { call } from "./call.ts";
import type * as dashboardAccess from "./dashboard/access.ts";
import type * as dashboardApps from "./dashboard/apps.ts";
import type * as dashboardBoards from "./dashboard/boards.ts";
import type * as dashboardDeliveries from "./dashboard/deliveries.ts";
import type * as dashboardErasures from "./dashboard/erasures.ts";
import type * as dashboardEvents from "./dashboard/events.ts";
import type * as dashboardFactors from "./dashboard/factors.ts";
import type * as dashboardHooks from "./dashboard/hooks.ts";
import type * as dashboardImages from "./dashboard/images.ts";
import type * as dashboardInbox from "./dashboard/inbox.ts";
import type * as dashboardNotices from "./dashboard/notices.ts";
import type * as dashboardOrganisation from "./dashboard/organisation.ts";
import type * as dashboardPasskeys from "./dashboard/passkeys.ts";
import type * as dashboardProviders from "./dashboard/providers.ts";
import type * as dashboardRuns from "./dashboard/runs.ts";
import type * as dashboardSearch from "./dashboard/search.ts";
import type * as dashboardSubscribers from "./dashboard/subscribers.ts";
import type * as dashboardThreads from "./dashboard/threads.ts";
import type * as dashboardTickets from "./dashboard/tickets.ts";
import type * as dashboardTokens from "./dashboard/tokens.ts";
import type * as dashboardUsage from "./dashboard/usage.ts";
import type * as envelope from "./envelope.ts";
import type * as events from "./events.ts";
import type * as projects from "./projects.ts";
import type * as replies from "./replies.ts";
import type * as runners from "./runners.ts";
import type * as sourcemaps from "./sourcemaps.ts";
import type * as tickets from "./tickets.ts";
import type * as tokens from "./tokens.ts";

/** Accept an invitation. */
export const acceptInvitation = /* @__PURE__ */ call<typeof dashboardAccess.acceptInvitation>("acceptInvitation", "POST", "/api/dashboard/invitation-links/{secret}");
/** Add credits. */
export const addCredits = /* @__PURE__ */ call<typeof dashboardRuns.addCredits>("addCredits", "POST", "/api/dashboard/credits");
/** Keep a passkey. */
export const addPasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.addPasskey>("addPasskey", "POST", "/api/dashboard/profile/passkeys");
/** Answer a reporter. */
export const answerThread = /* @__PURE__ */ call<typeof dashboardThreads.answerThread>("answerThread", "POST", "/api/dashboard/threads/{threadId}/messages");
/** Append to a run's log. */
export const appendRunLog = /* @__PURE__ */ call<typeof runners.appendRunLog>("appendRunLog", "POST", "/api/v1/runner/runs/{runId}/log");
/** Ask people something. */
export const askForInput = /* @__PURE__ */ call<typeof runners.askForInput>("askForInput", "POST", "/api/v1/runner/runs/{runId}/question");
/** Begin to make a passkey. */
export const beginPasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.beginPasskey>("beginPasskey", "POST", "/api/dashboard/profile/passkeys/options");
/** Begin to sign in with a passkey. */
export const beginPasskeySignIn = /* @__PURE__ */ call<typeof dashboardPasskeys.beginPasskeySignIn>("beginPasskeySignIn", "POST", "/api/dashboard/passkey-sign-ins");
/** Begin to sign in with an organisation's identity provider. */
export const beginProviderSignIn = /* @__PURE__ */ call<typeof dashboardProviders.beginProviderSignIn>("beginProviderSignIn", "POST", "/api/dashboard/provider-sign-ins/{slug}");
/** Make the secret of time-based codes. */
export const beginTotp = /* @__PURE__ */ call<typeof dashboardFactors.beginTotp>("beginTotp", "POST", "/api/dashboard/profile/totp");
/** Bind a Git repository to a project. */
export const bindRepository = /* @__PURE__ */ call<typeof dashboardOrganisation.bindRepository>("bindRepository", "POST", "/api/dashboard/projects/{projectId}/repositories");
/** Cancel a replay. */
export const cancelReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.cancelReplay>("cancelReplay", "POST", "/api/dashboard/replays/{replayId}/cancel");
/** Cancel a run. */
export const cancelRun = /* @__PURE__ */ call<typeof dashboardRuns.cancelRun>("cancelRun", "POST", "/api/dashboard/runs/{runId}/cancel");
/** Rename an app, or change what its SDKs are told. */
export const changeApp = /* @__PURE__ */ call<typeof dashboardApps.changeApp>("changeApp", "PATCH", "/api/dashboard/apps/{appId}");
/** Rename or move a board. */
export const changeBoard = /* @__PURE__ */ call<typeof dashboardBoards.changeBoard>("changeBoard", "PATCH", "/api/dashboard/boards/{boardId}");
/** Rename a view that the member has saved, or change its filter. */
export const changeBoardView = /* @__PURE__ */ call<typeof dashboardBoards.changeBoardView>("changeBoardView", "PATCH", "/api/dashboard/views/{viewId}");
/** Rename or move a column. */
export const changeColumn = /* @__PURE__ */ call<typeof dashboardBoards.changeColumn>("changeColumn", "PATCH", "/api/dashboard/columns/{columnId}");
/** Change a comment of one's own. */
export const changeComment = /* @__PURE__ */ call<typeof dashboardTickets.changeComment>("changeComment", "PATCH", "/api/dashboard/tickets/{ticketId}/comments/{commentId}");
/** Change a member's role. */
export const changeMember = /* @__PURE__ */ call<typeof dashboardAccess.changeMember>("changeMember", "PATCH", "/api/dashboard/members/{userId}");
/** Choose what to be sent of one's notices. */
export const changeNoticeChoices = /* @__PURE__ */ call<typeof dashboardNotices.changeNoticeChoices>("changeNoticeChoices", "PATCH", "/api/dashboard/notices/choices");
/** Rename the organisation. */
export const changeOrganisation = /* @__PURE__ */ call<typeof dashboardOrganisation.changeOrganisation>("changeOrganisation", "PATCH", "/api/dashboard/organisation");
/** Rename a passkey. */
export const changePasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.changePasskey>("changePasskey", "PATCH", "/api/dashboard/profile/passkeys/{passkeyId}");
/** Change one's own password. */
export const changePassword = /* @__PURE__ */ call<typeof dashboardAccess.changePassword>("changePassword", "POST", "/api/dashboard/profile/password");
/** Change the plan or the limit. */
export const changePlan = /* @__PURE__ */ call<typeof dashboardUsage.changePlan>("changePlan", "PATCH", "/api/dashboard/usage");
/** Resolve, mute or open a problem. */
export const changeProblem = /* @__PURE__ */ call<typeof dashboardInbox.changeProblem>("changeProblem", "PATCH", "/api/dashboard/problems/{problemId}");
/** Change one's own name. */
export const changeProfile = /* @__PURE__ */ call<typeof dashboardAccess.changeProfile>("changeProfile", "PATCH", "/api/dashboard/profile");
/** Rename or move a project. */
export const changeProject = /* @__PURE__ */ call<typeof dashboardBoards.changeProject>("changeProject", "PATCH", "/api/dashboard/projects/{projectId}");
/** Change how members sign in. */
export const changeSignInRules = /* @__PURE__ */ call<typeof dashboardFactors.changeSignInRules>("changeSignInRules", "PATCH", "/api/dashboard/sign-in-rules");
/** Change, pause or enable a subscriber. */
export const changeSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.changeSubscriber>("changeSubscriber", "PATCH", "/api/dashboard/subscribers/{subscriberId}");
/** Change a ticket. */
export const changeTicket = /* @__PURE__ */ call<typeof dashboardTickets.changeTicket>("changeTicket", "PATCH", "/api/dashboard/tickets/{ticketId}");
/** Change many tickets. */
export const changeTickets = /* @__PURE__ */ call<typeof dashboardTickets.changeTickets>("changeTickets", "PATCH", "/api/dashboard/tickets");
/** Rename or re-scope a token. */
export const changeToken = /* @__PURE__ */ call<typeof dashboardTokens.changeToken>("changeToken", "PATCH", "/api/dashboard/tokens/{tokenId}");
/** Close a thread for good. */
export const closeThread = /* @__PURE__ */ call<typeof dashboardThreads.closeThread>("closeThread", "POST", "/api/dashboard/threads/{threadId}/close");
/** Have time-based codes count. */
export const confirmTotp = /* @__PURE__ */ call<typeof dashboardFactors.confirmTotp>("confirmTotp", "POST", "/api/dashboard/profile/totp/confirmation");
/** Count what the member has not read. */
export const countNotices = /* @__PURE__ */ call<typeof dashboardNotices.countNotices>("countNotices", "GET", "/api/dashboard/notices/count", ["notices.changed"]);
/** Count what a replay would send. */
export const countReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.countReplay>("countReplay", "GET", "/api/dashboard/subscribers/{subscriberId}/replays/count");
/** Count the threads that wait. */
export const countThreads = /* @__PURE__ */ call<typeof dashboardThreads.countThreads>("countThreads", "GET", "/api/dashboard/threads/counts", ["reply.received","thread.changed","thread.read"]);
/** Make an app, with its first SDK key. */
export const createApp = /* @__PURE__ */ call<typeof dashboardApps.createApp>("createApp", "POST", "/api/dashboard/apps");
/** Make a board. */
export const createBoard = /* @__PURE__ */ call<typeof dashboardBoards.createBoard>("createBoard", "POST", "/api/dashboard/boards");
/** Make a column. */
export const createColumn = /* @__PURE__ */ call<typeof dashboardBoards.createColumn>("createColumn", "POST", "/api/dashboard/columns");
/** Make a webhook of the organisation. */
export const createHook = /* @__PURE__ */ call<typeof dashboardHooks.createHook>("createHook", "POST", "/api/dashboard/hooks");
/** Make an SDK key. */
export const createKey = /* @__PURE__ */ call<typeof dashboardApps.createKey>("createKey", "POST", "/api/dashboard/apps/{appId}/keys");
/** Make an organisation and work on it. */
export const createOrganisation = /* @__PURE__ */ call<typeof dashboardAccess.createOrganisation>("createOrganisation", "POST", "/api/dashboard/organisations");
/** Make a project. */
export const createProject = /* @__PURE__ */ call<typeof dashboardBoards.createProject>("createProject", "POST", "/api/dashboard/projects");
/** Make a runner. */
export const createRunner = /* @__PURE__ */ call<typeof dashboardRuns.createRunner>("createRunner", "POST", "/api/dashboard/runners");
/** Make a subscriber. */
export const createSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.createSubscriber>("createSubscriber", "POST", "/api/dashboard/apps/{appId}/subscribers");
/** File a ticket as a person. */
export const createTicket = /* @__PURE__ */ call<typeof dashboardTickets.createTicket>("createTicket", "POST", "/api/dashboard/tickets");
/** Make a token. */
export const createToken = /* @__PURE__ */ call<typeof dashboardTokens.createToken>("createToken", "POST", "/api/dashboard/tokens");
/** Delete an app with its reports. */
export const deleteApp = /* @__PURE__ */ call<typeof dashboardApps.deleteApp>("deleteApp", "DELETE", "/api/dashboard/apps/{appId}");
/** Delete a board without cards. */
export const deleteBoard = /* @__PURE__ */ call<typeof dashboardBoards.deleteBoard>("deleteBoard", "DELETE", "/api/dashboard/boards/{boardId}");
/** Forget a view that the member has saved. */
export const deleteBoardView = /* @__PURE__ */ call<typeof dashboardBoards.deleteBoardView>("deleteBoardView", "DELETE", "/api/dashboard/views/{viewId}");
/** Delete a column without cards. */
export const deleteColumn = /* @__PURE__ */ call<typeof dashboardBoards.deleteColumn>("deleteColumn", "DELETE", "/api/dashboard/columns/{columnId}");
/** Delete a comment. */
export const deleteComment = /* @__PURE__ */ call<typeof dashboardTickets.deleteComment>("deleteComment", "DELETE", "/api/dashboard/tickets/{ticketId}/comments/{commentId}");
/** Delete a webhook of the organisation. */
export const deleteHook = /* @__PURE__ */ call<typeof dashboardHooks.deleteHook>("deleteHook", "DELETE", "/api/dashboard/hooks/{hookId}");
/** Delete a project without cards. */
export const deleteProject = /* @__PURE__ */ call<typeof dashboardBoards.deleteProject>("deleteProject", "DELETE", "/api/dashboard/projects/{projectId}");
/** Delete a subscriber. */
export const deleteSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.deleteSubscriber>("deleteSubscriber", "DELETE", "/api/dashboard/subscribers/{subscriberId}");
/** Delete a ticket for good. */
export const deleteTicket = /* @__PURE__ */ call<typeof dashboardTickets.deleteTicket>("deleteTicket", "DELETE", "/api/dashboard/tickets/{ticketId}");
/** Delete many tickets for good. */
export const deleteTickets = /* @__PURE__ */ call<typeof dashboardTickets.deleteTickets>("deleteTickets", "POST", "/api/dashboard/tickets/delete");
/** Download an attachment. */
export const downloadArtifact = /* @__PURE__ */ call<typeof envelope.downloadArtifact>("downloadArtifact", "GET", "/api/artifacts/{appId}/{eventId}/{part}");
/** Sign out everywhere else. */
export const endOtherSessions = /* @__PURE__ */ call<typeof dashboardAccess.endOtherSessions>("endOtherSessions", "DELETE", "/api/dashboard/sessions");
/** End one of one's own sessions. */
export const endSession = /* @__PURE__ */ call<typeof dashboardAccess.endSession>("endSession", "DELETE", "/api/dashboard/sessions/{sessionId}");
/** Erase what one user, e-mail address or install has sent. */
export const eraseReports = /* @__PURE__ */ call<typeof dashboardErasures.eraseReports>("eraseReports", "POST", "/api/dashboard/erasures");
/** File a ticket. */
export const fileTicket = /* @__PURE__ */ call<typeof tickets.fileTicket>("fileTicket", "POST", "/api/v1/tickets");
/** Sign in with a passkey. */
export const finishPasskeySignIn = /* @__PURE__ */ call<typeof dashboardPasskeys.finishPasskeySignIn>("finishPasskeySignIn", "POST", "/api/dashboard/passkey-sign-ins/completion");
/** Sign in with what the identity provider has answered. */
export const finishProviderSignIn = /* @__PURE__ */ call<typeof dashboardProviders.finishProviderSignIn>("finishProviderSignIn", "POST", "/api/dashboard/provider-sign-ins/{slug}/completion");
/** Say what came of a run. */
export const finishRun = /* @__PURE__ */ call<typeof runners.finishRun>("finishRun", "POST", "/api/v1/runner/runs/{runId}/finish");
/** Show an app with its SDK keys. */
export const getApp = /* @__PURE__ */ call<typeof dashboardApps.getApp>("getApp", "GET", "/api/dashboard/apps/{appId}", ["apps.changed","inbox.changed"]);
/** What an SDK needs to know before it sends. */
export const getClientConfig = /* @__PURE__ */ call<typeof envelope.getClientConfig>("getClientConfig", "GET", "/api/config");
/** Show the credits and their history. */
export const getCredits = /* @__PURE__ */ call<typeof dashboardRuns.getCredits>("getCredits", "GET", "/api/dashboard/credits", ["run.changed","credits.changed"]);
/** Show a delivery as a curl command. */
export const getDeliveryCurl = /* @__PURE__ */ call<typeof dashboardDeliveries.getDeliveryCurl>("getDeliveryCurl", "GET", "/api/dashboard/deliveries/{deliveryId}/curl");
/** Show an event. */
export const getEvent = /* @__PURE__ */ call<typeof dashboardInbox.getEvent>("getEvent", "GET", "/api/dashboard/events/{eventId}", ["problem.occurred","problem.changed"]);
/** Say where the address of an event leads. */
export const getEventPlace = /* @__PURE__ */ call<typeof dashboardInbox.getEventPlace>("getEventPlace", "GET", "/api/dashboard/events/{eventId}/place");
/** Show the identity provider. */
export const getIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.getIdentityProvider>("getIdentityProvider", "GET", "/api/dashboard/identity-provider", ["members.changed"]);
/** Show an image of a description or comment. */
export const getImage = /* @__PURE__ */ call<typeof dashboardImages.getImage>("getImage", "GET", "/api/dashboard/images/{imageId}");
/** Count the events of an app over time. */
export const getInboxHistogram = /* @__PURE__ */ call<typeof dashboardInbox.getInboxHistogram>("getInboxHistogram", "GET", "/api/dashboard/apps/{appId}/inbox/histogram", ["inbox.changed"]);
/** Say what an invitation is for. */
export const getInvitationLink = /* @__PURE__ */ call<typeof dashboardAccess.getInvitationLink>("getInvitationLink", "GET", "/api/dashboard/invitation-links/{secret}");
/** Say what the member is sent of his notices. */
export const getNoticeChoices = /* @__PURE__ */ call<typeof dashboardNotices.getNoticeChoices>("getNoticeChoices", "GET", "/api/dashboard/notices/choices");
/** Show the organisation. */
export const getOrganisation = /* @__PURE__ */ call<typeof dashboardOrganisation.getOrganisation>("getOrganisation", "GET", "/api/dashboard/organisation", ["organisation.changed"]);
/** Say whose password a link is for. */
export const getPasswordLink = /* @__PURE__ */ call<typeof dashboardAccess.getPasswordLink>("getPasswordLink", "GET", "/api/dashboard/password-links/{secret}");
/** Show a problem. */
export const getProblem = /* @__PURE__ */ call<typeof dashboardInbox.getProblem>("getProblem", "GET", "/api/dashboard/problems/{problemId}", ["problem.occurred","problem.changed"]);
/** Show a run. */
export const getRun = /* @__PURE__ */ call<typeof dashboardRuns.getRun>("getRun", "GET", "/api/dashboard/runs/{runId}", ["run.changed","board.changed"]);
/** Say whether one has a second factor. */
export const getSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.getSecondFactor>("getSecondFactor", "GET", "/api/dashboard/profile/second-factor");
/** Say who is signed in. */
export const getSession = /* @__PURE__ */ call<typeof dashboardAccess.getSession>("getSession", "GET", "/api/dashboard/session", ["members.changed","organisation.changed"]);
/** Say whether the first owner is still to be made. */
export const getSetup = /* @__PURE__ */ call<typeof dashboardAccess.getSetup>("getSetup", "GET", "/api/dashboard/setup");
/** Say how members sign in. */
export const getSignInRules = /* @__PURE__ */ call<typeof dashboardFactors.getSignInRules>("getSignInRules", "GET", "/api/dashboard/sign-in-rules", ["members.changed"]);
/** Show a subscriber. */
export const getSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.getSubscriber>("getSubscriber", "GET", "/api/dashboard/subscribers/{subscriberId}", ["subscribers.changed"]);
/** Show a thread. */
export const getThread = /* @__PURE__ */ call<typeof dashboardThreads.getThread>("getThread", "GET", "/api/dashboard/threads/{threadId}", ["reply.received","thread.changed","thread.read"]);
/** Show a ticket. */
export const getTicket = /* @__PURE__ */ call<typeof dashboardTickets.getTicket>("getTicket", "GET", "/api/dashboard/tickets/{ticketId}", ["run.changed","ticket.filed","ticket.changed","ticket.moved","ticket.commented","ticket.archived","ticket.restored","ticket.deleted","board.changed"]);
/** Say where a deep link leads. */
export const getTicketPlace = /* @__PURE__ */ call<typeof dashboardTickets.getTicketPlace>("getTicketPlace", "GET", "/api/dashboard/tickets/{ticketId}/place");
/** Show what a card is about. */
export const getTicketReport = /* @__PURE__ */ call<typeof dashboardInbox.getTicketReport>("getTicketReport", "GET", "/api/dashboard/tickets/{ticketId}/report", ["problem.occurred","problem.changed","board.changed"]);
/** Show active installs against the limit. */
export const getUsage = /* @__PURE__ */ call<typeof dashboardUsage.getUsage>("getUsage", "GET", "/api/dashboard/usage", ["allowance.changed"]);
/** Keep a run. */
export const heartbeatRun = /* @__PURE__ */ call<typeof runners.heartbeatRun>("heartbeatRun", "POST", "/api/v1/runner/runs/{runId}/heartbeat");
/** Invite somebody by link. */
export const invite = /* @__PURE__ */ call<typeof dashboardAccess.invite>("invite", "POST", "/api/dashboard/invitations");
/** Show the history of a ticket. */
export const listActivities = /* @__PURE__ */ call<typeof dashboardTickets.listActivities>("listActivities", "GET", "/api/dashboard/tickets/{ticketId}/activities", ["ticket.filed","ticket.changed","ticket.moved","ticket.commented","ticket.archived","ticket.restored","ticket.deleted","board.changed"]);
/** List the apps. */
export const listApps = /* @__PURE__ */ call<typeof dashboardApps.listApps>("listApps", "GET", "/api/dashboard/apps", ["apps.changed","inbox.changed","allowance.changed"]);
/** List the archived cards of a board. */
export const listArchive = /* @__PURE__ */ call<typeof dashboardBoards.listArchive>("listArchive", "GET", "/api/dashboard/boards/{boardId}/archive", ["ticket.changed","ticket.archived","ticket.restored","ticket.deleted","board.changed"]);
/** Read the audit log. */
export const listAudit = /* @__PURE__ */ call<typeof dashboardOrganisation.listAudit>("listAudit", "GET", "/api/dashboard/audit");
/** List the tokens and apps that file tickets. */
export const listAuthors = /* @__PURE__ */ call<typeof dashboardTickets.listAuthors>("listAuthors", "GET", "/api/dashboard/authors", ["tokens.changed"]);
/** Count the cards of every board. */
export const listBoardFigures = /* @__PURE__ */ call<typeof dashboardBoards.listBoardFigures>("listBoardFigures", "GET", "/api/dashboard/boards");
/** List the subscribers that file reports onto a board. */
export const listBoardSubscribers = /* @__PURE__ */ call<typeof dashboardOrganisation.listBoardSubscribers>("listBoardSubscribers", "GET", "/api/dashboard/boards/{boardId}/subscribers");
/** List the views that the member has saved. */
export const listBoardViews = /* @__PURE__ */ call<typeof dashboardBoards.listBoardViews>("listBoardViews", "GET", "/api/dashboard/views", ["views.changed","projects.changed"]);
/** List the cards of a column. */
export const listCards = /* @__PURE__ */ call<typeof dashboardBoards.listCards>("listCards", "GET", "/api/dashboard/columns/{columnId}/cards");
/** List the comments on a ticket. */
export const listComments = /* @__PURE__ */ call<typeof dashboardTickets.listComments>("listComments", "GET", "/api/dashboard/tickets/{ticketId}/comments", ["ticket.commented"]);
/** List which threads of a device have news. */
export const listDeviceThreads = /* @__PURE__ */ call<typeof replies.listDeviceThreads>("listDeviceThreads", "GET", "/api/devices/{deviceId}/threads");
/** List the deliveries of an event. */
export const listEventDeliveries = /* @__PURE__ */ call<typeof dashboardDeliveries.listEventDeliveries>("listEventDeliveries", "GET", "/api/dashboard/events/{eventId}/deliveries");
/** Read events, each at least once. */
export const listEvents = /* @__PURE__ */ call<typeof events.listEvents>("listEvents", "GET", "/api/v1/events");
/** List the webhooks of the organisation. */
export const listHooks = /* @__PURE__ */ call<typeof dashboardHooks.listHooks>("listHooks", "GET", "/api/dashboard/hooks", ["hooks.changed"]);
/** List what an inbox can be filtered by. */
export const listInboxChoices = /* @__PURE__ */ call<typeof dashboardInbox.listInboxChoices>("listInboxChoices", "GET", "/api/dashboard/apps/{appId}/inbox/choices");
/** List the apps with what their inboxes hold. */
export const listInboxes = /* @__PURE__ */ call<typeof dashboardInbox.listInboxes>("listInboxes", "GET", "/api/dashboard/inboxes", ["inbox.changed","problem.changed","apps.changed"]);
/** List the invitations. */
export const listInvitations = /* @__PURE__ */ call<typeof dashboardAccess.listInvitations>("listInvitations", "GET", "/api/dashboard/invitations", ["invitations.changed"]);
/** List the labels that tickets have had. */
export const listLabels = /* @__PURE__ */ call<typeof dashboardTickets.listLabels>("listLabels", "GET", "/api/dashboard/labels");
/** List the members. */
export const listMembers = /* @__PURE__ */ call<typeof dashboardAccess.listMembers>("listMembers", "GET", "/api/dashboard/members", ["members.changed"]);
/** Read the messages of a thread. */
export const listMessages = /* @__PURE__ */ call<typeof replies.listMessages>("listMessages", "GET", "/api/threads/{threadId}/messages");
/** List what the member is to be told. */
export const listNotices = /* @__PURE__ */ call<typeof dashboardNotices.listNotices>("listNotices", "GET", "/api/dashboard/notices", ["notices.changed","board.changed"]);
/** List one's passkeys. */
export const listPasskeys = /* @__PURE__ */ call<typeof dashboardPasskeys.listPasskeys>("listPasskeys", "GET", "/api/dashboard/profile/passkeys");
/** List who can be mentioned and assigned. */
export const listPeople = /* @__PURE__ */ call<typeof dashboardAccess.listPeople>("listPeople", "GET", "/api/dashboard/people", ["members.changed"]);
/** List the occurrences of a problem. */
export const listProblemEvents = /* @__PURE__ */ call<typeof dashboardInbox.listProblemEvents>("listProblemEvents", "GET", "/api/dashboard/problems/{problemId}/events", ["problem.occurred","problem.changed"]);
/** List the subscribers that file reports onto the boards of a project. */
export const listProjectSubscribers = /* @__PURE__ */ call<typeof dashboardOrganisation.listProjectSubscribers>("listProjectSubscribers", "GET", "/api/dashboard/projects/{projectId}/subscribers");
/** List the projects. */
export const listProjects = /* @__PURE__ */ call<typeof dashboardBoards.listProjects>("listProjects", "GET", "/api/dashboard/projects", ["projects.changed","board.changed"]);
/** List what the token reaches. */
export const listReach = /* @__PURE__ */ call<typeof projects.listReach>("listReach", "GET", "/api/v1/projects");
/** Count the refused reports of an app by day, code and key. */
export const listRefusals = /* @__PURE__ */ call<typeof dashboardApps.listRefusals>("listRefusals", "GET", "/api/dashboard/apps/{appId}/refusals");
/** List the runners. */
export const listRunners = /* @__PURE__ */ call<typeof dashboardRuns.listRunners>("listRunners", "GET", "/api/dashboard/runners", ["runners.changed","run.changed"]);
/** List the agent's runs. */
export const listRuns = /* @__PURE__ */ call<typeof dashboardRuns.listRuns>("listRuns", "GET", "/api/dashboard/runs", ["run.changed","board.changed"]);
/** List where one is signed in. */
export const listSessions = /* @__PURE__ */ call<typeof dashboardAccess.listSessions>("listSessions", "GET", "/api/dashboard/sessions");
/** List the deliveries to a subscriber. */
export const listSubscriberDeliveries = /* @__PURE__ */ call<typeof dashboardSubscribers.listSubscriberDeliveries>("listSubscriberDeliveries", "GET", "/api/dashboard/subscribers/{subscriberId}/deliveries");
/** List the subscribers. */
export const listSubscribers = /* @__PURE__ */ call<typeof dashboardSubscribers.listSubscribers>("listSubscribers", "GET", "/api/dashboard/subscribers", ["subscribers.changed"]);
/** List the threads with reporters. */
export const listThreads = /* @__PURE__ */ call<typeof dashboardThreads.listThreads>("listThreads", "GET", "/api/dashboard/threads", ["reply.received","thread.changed","thread.read"]);
/** List the ids that a ticket can name. */
export const listTicketIds = /* @__PURE__ */ call<typeof dashboardOrganisation.listTicketIds>("listTicketIds", "GET", "/api/dashboard/organisation/ids", ["projects.changed","board.changed","members.changed"]);
/** List the live tokens. */
export const listTokens = /* @__PURE__ */ call<typeof dashboardTokens.listTokens>("listTokens", "GET", "/api/dashboard/tokens", ["tokens.changed"]);
/** Ask for a new password by e-mail. */
export const losePassword = /* @__PURE__ */ call<typeof dashboardAccess.losePassword>("losePassword", "POST", "/api/dashboard/password-links");
/** Make a card of an event, or of its problem where it has one. */
export const makeEventCard = /* @__PURE__ */ call<typeof dashboardInbox.makeEventCard>("makeEventCard", "POST", "/api/dashboard/events/{eventId}/cards");
/** Make a link by which a member chooses a new password. */
export const makePasswordLink = /* @__PURE__ */ call<typeof dashboardAccess.makePasswordLink>("makePasswordLink", "POST", "/api/dashboard/members/{userId}/password-link");
/** Make a card of a problem. */
export const makeProblemCard = /* @__PURE__ */ call<typeof dashboardInbox.makeProblemCard>("makeProblemCard", "POST", "/api/dashboard/problems/{problemId}/cards");
/** Say how far one has read a thread. */
export const markThreadRead = /* @__PURE__ */ call<typeof dashboardThreads.markThreadRead>("markThreadRead", "POST", "/api/dashboard/threads/{threadId}/read");
/** Make other problems part of a problem. */
export const mergeProblems = /* @__PURE__ */ call<typeof dashboardInbox.mergeProblems>("mergeProblems", "POST", "/api/dashboard/problems/{problemId}/merge");
/** Move a card. */
export const moveTicket = /* @__PURE__ */ call<typeof dashboardTickets.moveTicket>("moveTicket", "POST", "/api/dashboard/tickets/{ticketId}/move");
/** Answer as the reporter. */
export const postMessage = /* @__PURE__ */ call<typeof replies.postMessage>("postMessage", "POST", "/api/threads/{threadId}/messages");
/** Count what would go with an app. */
export const previewAppDeletion = /* @__PURE__ */ call<typeof dashboardApps.previewAppDeletion>("previewAppDeletion", "GET", "/api/dashboard/apps/{appId}/deletion");
/** Note which notices have been read. */
export const readNotices = /* @__PURE__ */ call<typeof dashboardNotices.readNotices>("readNotices", "POST", "/api/dashboard/notices/read");
/** Read a run's log. */
export const readRunLog = /* @__PURE__ */ call<typeof dashboardRuns.readRunLog>("readRunLog", "GET", "/api/dashboard/runs/{runId}/log", ["run.logged","board.changed"]);
/** Download what a run changed. */
export const readRunPatch = /* @__PURE__ */ call<typeof dashboardRuns.readRunPatch>("readRunPatch", "GET", "/api/dashboard/runs/{runId}/patch");
/** Show what a change made of a title or description. */
export const readTexts = /* @__PURE__ */ call<typeof dashboardTickets.readTexts>("readTexts", "GET", "/api/dashboard/tickets/{ticketId}/activities/{activityId}/texts", ["board.changed"]);
/** Read the messages of a thread. */
export const readThread = /* @__PURE__ */ call<typeof dashboardThreads.readThread>("readThread", "GET", "/api/dashboard/threads/{threadId}/messages", ["reply.received","thread.changed"]);
/** Read a ticket. */
export const readTicket = /* @__PURE__ */ call<typeof tickets.readTicket>("readTicket", "GET", "/api/v1/tickets/{ticketId}");
/** Let a held run start. */
export const releaseRun = /* @__PURE__ */ call<typeof dashboardRuns.releaseRun>("releaseRun", "POST", "/api/dashboard/runs/{runId}/release");
/** Sign in with no identity provider any more. */
export const removeIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.removeIdentityProvider>("removeIdentityProvider", "DELETE", "/api/dashboard/identity-provider");
/** Remove a member, or leave. */
export const removeMember = /* @__PURE__ */ call<typeof dashboardAccess.removeMember>("removeMember", "DELETE", "/api/dashboard/members/{userId}");
/** Take away a member's second factor. */
export const removeMemberSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.removeMemberSecondFactor>("removeMemberSecondFactor", "DELETE", "/api/dashboard/members/{userId}/second-factor");
/** Sign in without a second factor again. */
export const removeOwnSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.removeOwnSecondFactor>("removeOwnSecondFactor", "POST", "/api/dashboard/profile/second-factor/removal");
/** Remove a passkey. */
export const removePasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.removePasskey>("removePasskey", "POST", "/api/dashboard/profile/passkeys/{passkeyId}/removal");
/** Make new codes for recovery. */
export const renewRecoveryCodes = /* @__PURE__ */ call<typeof dashboardFactors.renewRecoveryCodes>("renewRecoveryCodes", "POST", "/api/dashboard/profile/recovery-codes");
/** Say what became of a pull request. */
export const reportPullRequest = /* @__PURE__ */ call<typeof runners.reportPullRequest>("reportPullRequest", "POST", "/api/v1/runner/runs/{runId}/pull-request");
/** Send what was given up again. */
export const resendDeadDeliveries = /* @__PURE__ */ call<typeof dashboardSubscribers.resendDeadDeliveries>("resendDeadDeliveries", "POST", "/api/dashboard/subscribers/{subscriberId}/resend");
/** Send a delivery again. */
export const resendDelivery = /* @__PURE__ */ call<typeof dashboardDeliveries.resendDelivery>("resendDelivery", "POST", "/api/dashboard/deliveries/{deliveryId}/resend");
/** Revoke an invitation. */
export const revokeInvitation = /* @__PURE__ */ call<typeof dashboardAccess.revokeInvitation>("revokeInvitation", "DELETE", "/api/dashboard/invitations/{invitationId}");
/** Refuse an SDK key from now on. */
export const revokeKey = /* @__PURE__ */ call<typeof dashboardApps.revokeKey>("revokeKey", "DELETE", "/api/dashboard/apps/{appId}/keys/{keyId}");
/** Revoke a runner. */
export const revokeRunner = /* @__PURE__ */ call<typeof dashboardRuns.revokeRunner>("revokeRunner", "DELETE", "/api/dashboard/runners/{runnerId}");
/** Revoke a token. */
export const revokeToken = /* @__PURE__ */ call<typeof dashboardTokens.revokeToken>("revokeToken", "DELETE", "/api/dashboard/tokens/{tokenId}");
/** Give a webhook of the organisation a new secret. */
export const rotateHookSecret = /* @__PURE__ */ call<typeof dashboardHooks.rotateHookSecret>("rotateHookSecret", "POST", "/api/dashboard/hooks/{hookId}/secrets");
/** Make another SDK key of the same name, and end the old one. */
export const rotateKey = /* @__PURE__ */ call<typeof dashboardApps.rotateKey>("rotateKey", "POST", "/api/dashboard/apps/{appId}/keys/{keyId}/rotate");
/** Give a webhook a new secret. */
export const rotateSubscriberSecret = /* @__PURE__ */ call<typeof dashboardSubscribers.rotateSubscriberSecret>("rotateSubscriberSecret", "POST", "/api/dashboard/subscribers/{subscriberId}/secrets");
/** Save a filter of a board under a name. */
export const saveBoardView = /* @__PURE__ */ call<typeof dashboardBoards.saveBoardView>("saveBoardView", "POST", "/api/dashboard/boards/{boardId}/views");
/** Search the cards of every board, problems and reports. */
export const searchCards = /* @__PURE__ */ call<typeof dashboardSearch.searchCards>("searchCards", "GET", "/api/dashboard/search");
/** Sign in with an identity provider. */
export const setIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.setIdentityProvider>("setIdentityProvider", "POST", "/api/dashboard/identity-provider");
/** Choose a new password by a link. */
export const setPassword = /* @__PURE__ */ call<typeof dashboardAccess.setPassword>("setPassword", "POST", "/api/dashboard/password-links/{secret}");
/** Make the first owner and an organisation. */
export const setUp = /* @__PURE__ */ call<typeof dashboardAccess.setUp>("setUp", "POST", "/api/dashboard/setup");
/** Show the token that asks. */
export const showOwnToken = /* @__PURE__ */ call<typeof tokens.showOwnToken>("showOwnToken", "GET", "/api/v1/token");
/** Sign in. */
export const signIn = /* @__PURE__ */ call<typeof dashboardAccess.signIn>("signIn", "POST", "/api/dashboard/session");
/** Sign out. */
export const signOut = /* @__PURE__ */ call<typeof dashboardAccess.signOut>("signOut", "DELETE", "/api/dashboard/session");
/** Give a delivery up. */
export const skipDelivery = /* @__PURE__ */ call<typeof dashboardDeliveries.skipDelivery>("skipDelivery", "POST", "/api/dashboard/deliveries/{deliveryId}/skip");
/** Make some of a problem's hashes a problem of its own. */
export const splitProblem = /* @__PURE__ */ call<typeof dashboardInbox.splitProblem>("splitProblem", "POST", "/api/dashboard/problems/{problemId}/split");
/** Send the events of a stretch of time to a subscriber. */
export const startReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.startReplay>("startReplay", "POST", "/api/dashboard/subscribers/{subscriberId}/replays");
/** Store an image for a card that is still being written. */
export const storeDraftImage = /* @__PURE__ */ call<typeof dashboardImages.storeDraftImage>("storeDraftImage", "POST", "/api/dashboard/images");
/** Store an image for the description or a comment. */
export const storeImage = /* @__PURE__ */ call<typeof dashboardImages.storeImage>("storeImage", "POST", "/api/dashboard/tickets/{ticketId}/images");
/** Hear what changes. */
export const streamEvents = /* @__PURE__ */ call<typeof dashboardEvents.streamEvents>("streamEvents", "GET", "/api/dashboard/events");
/** Let a month that went over its limit not count. */
export const strikeOutMonth = /* @__PURE__ */ call<typeof dashboardUsage.strikeOutMonth>("strikeOutMonth", "POST", "/api/dashboard/usage/strike-outs");
/** Submit a report. */
export const submitReport = /* @__PURE__ */ call<typeof envelope.submitReport>("submitReport", "POST", "/api/ingest");
/** Work on another organisation. */
export const switchOrganisation = /* @__PURE__ */ call<typeof dashboardAccess.switchOrganisation>("switchOrganisation", "PATCH", "/api/dashboard/session");
/** Take a run. */
export const takeRun = /* @__PURE__ */ call<typeof runners.takeRun>("takeRun", "POST", "/api/v1/runner/take");
/** Try a message out before a subscriber is saved. */
export const testSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.testSubscriber>("testSubscriber", "POST", "/api/dashboard/apps/{appId}/subscribers/test");
/** Take a Git repository from its project. */
export const unbindRepository = /* @__PURE__ */ call<typeof dashboardOrganisation.unbindRepository>("unbindRepository", "DELETE", "/api/dashboard/repositories/{repositoryId}");
/** Upload source maps. */
export const uploadSourceMaps = /* @__PURE__ */ call<typeof sourcemaps.uploadSourceMaps>("uploadSourceMaps", "POST", "/api/v1/apps/{app}/source-maps");
/** Show a board with its cards. */
export const viewBoard = /* @__PURE__ */ call<typeof dashboardBoards.viewBoard>("viewBoard", "GET", "/api/dashboard/boards/{boardId}", ["board.changed","projects.changed"]);
/** Show problems and single reports of an app. */
export const viewInbox = /* @__PURE__ */ call<typeof dashboardInbox.viewInbox>("viewInbox", "GET", "/api/dashboard/apps/{appId}/inbox", ["inbox.changed","problem.changed"]);
/** List the pull requests to look at. */
export const watchPullRequests = /* @__PURE__ */ call<typeof runners.watchPullRequests>("watchPullRequests", "POST", "/api/v1/runner/pull-requests");
/** Comment on a ticket. */
export const writeComment = /* @__PURE__ */ call<typeof dashboardTickets.writeComment>("writeComment", "POST", "/api/dashboard/tickets/{ticketId}/comments");
