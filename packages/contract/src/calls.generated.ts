// Made by npm run generate from the operations of the contract.
import { call } from "./call.ts";
import type * as apiproblems from "./apiproblems.ts";
import type * as attachments from "./attachments.ts";
import type * as dashboardAccess from "./dashboard/access.ts";
import type * as dashboardApps from "./dashboard/apps.ts";
import type * as dashboardAttachments from "./dashboard/attachments.ts";
import type * as dashboardBoards from "./dashboard/boards.ts";
import type * as dashboardDeliveries from "./dashboard/deliveries.ts";
import type * as dashboardErasures from "./dashboard/erasures.ts";
import type * as dashboardEvents from "./dashboard/events.ts";
import type * as dashboardFactors from "./dashboard/factors.ts";
import type * as dashboardHooks from "./dashboard/hooks.ts";
import type * as dashboardImages from "./dashboard/images.ts";
import type * as dashboardImports from "./dashboard/imports.ts";
import type * as dashboardInbox from "./dashboard/inbox.ts";
import type * as dashboardInsights from "./dashboard/insights.ts";
import type * as dashboardLabels from "./dashboard/labels.ts";
import type * as dashboardNotices from "./dashboard/notices.ts";
import type * as dashboardOrganisation from "./dashboard/organisation.ts";
import type * as dashboardPasskeys from "./dashboard/passkeys.ts";
import type * as dashboardProviders from "./dashboard/providers.ts";
import type * as dashboardRegrouping from "./dashboard/regrouping.ts";
import type * as dashboardRelations from "./dashboard/relations.ts";
import type * as dashboardReleases from "./dashboard/releases.ts";
import type * as dashboardRuns from "./dashboard/runs.ts";
import type * as dashboardSearch from "./dashboard/search.ts";
import type * as dashboardSubscribers from "./dashboard/subscribers.ts";
import type * as dashboardThreads from "./dashboard/threads.ts";
import type * as dashboardTickets from "./dashboard/tickets.ts";
import type * as dashboardTokens from "./dashboard/tokens.ts";
import type * as dashboardTrash from "./dashboard/trash.ts";
import type * as dashboardUsage from "./dashboard/usage.ts";
import type * as dashboardWork from "./dashboard/work.ts";
import type * as envelope from "./envelope.ts";
import type * as events from "./events.ts";
import type * as mcp from "./mcp.ts";
import type * as projects from "./projects.ts";
import type * as replies from "./replies.ts";
import type * as runners from "./runners.ts";
import type * as sentry from "./sentry.ts";
import type * as sourcemaps from "./sourcemaps.ts";
import type * as tickets from "./tickets.ts";
import type * as tokens from "./tokens.ts";

/** Accept an invitation. */
export const acceptInvitation = /* @__PURE__ */ call<typeof dashboardAccess.acceptInvitation>("acceptInvitation", "POST", "/api/dashboard/invitation-links/{secret}");
/** Add credits. */
export const addCredits = /* @__PURE__ */ call<typeof dashboardRuns.addCredits>("addCredits", "POST", "/api/dashboard/credits");
/** Save a passkey. */
export const addPasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.addPasskey>("addPasskey", "POST", "/api/dashboard/profile/passkeys");
/** Reply to a reporter. */
export const answerThread = /* @__PURE__ */ call<typeof dashboardThreads.answerThread>("answerThread", "POST", "/api/dashboard/threads/{threadId}/messages");
/** Append to a run's log. */
export const appendRunLog = /* @__PURE__ */ call<typeof runners.appendRunLog>("appendRunLog", "POST", "/api/v1/runner/runs/{runId}/log");
/** Regroup an app's problems. */
export const applyRegrouping = /* @__PURE__ */ call<typeof dashboardRegrouping.applyRegrouping>("applyRegrouping", "POST", "/api/dashboard/apps/{appId}/regrouping/apply");
/** Ask people a question. */
export const askForInput = /* @__PURE__ */ call<typeof runners.askForInput>("askForInput", "POST", "/api/v1/runner/runs/{runId}/question");
/** Assign a problem. */
export const assignProblem = /* @__PURE__ */ call<typeof dashboardInbox.assignProblem>("assignProblem", "PATCH", "/api/dashboard/problems/{problemId}/assignee");
/** Attach a file to a ticket. */
export const attachFile = /* @__PURE__ */ call<typeof attachments.attachFile>("attachFile", "POST", "/api/v1/tickets/{ticket}/attachments");
/** Attach a file to a ticket. */
export const attachTicketFile = /* @__PURE__ */ call<typeof dashboardAttachments.attachTicketFile>("attachTicketFile", "POST", "/api/dashboard/tickets/{ticketId}/attachments");
/** Start linking your account to an identity provider. */
export const beginIdentityLink = /* @__PURE__ */ call<typeof dashboardProviders.beginIdentityLink>("beginIdentityLink", "POST", "/api/dashboard/profile/identities/{slug}");
/** Start creating a passkey. */
export const beginPasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.beginPasskey>("beginPasskey", "POST", "/api/dashboard/profile/passkeys/options");
/** Start signing in with a passkey. */
export const beginPasskeySignIn = /* @__PURE__ */ call<typeof dashboardPasskeys.beginPasskeySignIn>("beginPasskeySignIn", "POST", "/api/dashboard/passkey-sign-ins");
/** Start signing in with an identity provider. */
export const beginProviderSignIn = /* @__PURE__ */ call<typeof dashboardProviders.beginProviderSignIn>("beginProviderSignIn", "POST", "/api/dashboard/provider-sign-ins/{slug}");
/** Create a secret for time-based codes. */
export const beginTotp = /* @__PURE__ */ call<typeof dashboardFactors.beginTotp>("beginTotp", "POST", "/api/dashboard/profile/totp");
/** Add a Git repository to a project. */
export const bindRepository = /* @__PURE__ */ call<typeof dashboardOrganisation.bindRepository>("bindRepository", "POST", "/api/dashboard/projects/{projectId}/repositories");
/** Call the MCP server. */
export const callMcp = /* @__PURE__ */ call<typeof mcp.callMcp>("callMcp", "POST", "/mcp");
/** Cancel a replay. */
export const cancelReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.cancelReplay>("cancelReplay", "POST", "/api/dashboard/replays/{replayId}/cancel");
/** Cancel a run. */
export const cancelRun = /* @__PURE__ */ call<typeof dashboardRuns.cancelRun>("cancelRun", "POST", "/api/dashboard/runs/{runId}/cancel");
/** Update an app. */
export const changeApp = /* @__PURE__ */ call<typeof dashboardApps.changeApp>("changeApp", "PATCH", "/api/dashboard/apps/{appId}");
/** Update a board. */
export const changeBoard = /* @__PURE__ */ call<typeof dashboardBoards.changeBoard>("changeBoard", "PATCH", "/api/dashboard/boards/{boardId}");
/** Update a saved view. */
export const changeBoardView = /* @__PURE__ */ call<typeof dashboardBoards.changeBoardView>("changeBoardView", "PATCH", "/api/dashboard/views/{viewId}");
/** Update a column. */
export const changeColumn = /* @__PURE__ */ call<typeof dashboardBoards.changeColumn>("changeColumn", "PATCH", "/api/dashboard/columns/{columnId}");
/** Update your own comment. */
export const changeComment = /* @__PURE__ */ call<typeof dashboardTickets.changeComment>("changeComment", "PATCH", "/api/dashboard/tickets/{ticketId}/comments/{commentId}");
/** Follow or mute a ticket. */
export const changeFollowing = /* @__PURE__ */ call<typeof dashboardWork.changeFollowing>("changeFollowing", "PATCH", "/api/dashboard/tickets/{ticketId}/following");
/** Update a webhook of the organisation. */
export const changeHook = /* @__PURE__ */ call<typeof dashboardHooks.changeHook>("changeHook", "PATCH", "/api/dashboard/hooks/{hookId}");
/** Update a label. */
export const changeLabel = /* @__PURE__ */ call<typeof dashboardLabels.changeLabel>("changeLabel", "PATCH", "/api/dashboard/labels");
/** Update a member's role. */
export const changeMember = /* @__PURE__ */ call<typeof dashboardAccess.changeMember>("changeMember", "PATCH", "/api/dashboard/members/{userId}");
/** Update your notification settings. */
export const changeNoticeChoices = /* @__PURE__ */ call<typeof dashboardNotices.changeNoticeChoices>("changeNoticeChoices", "PATCH", "/api/dashboard/notices/choices");
/** Update the organisation. */
export const changeOrganisation = /* @__PURE__ */ call<typeof dashboardOrganisation.changeOrganisation>("changeOrganisation", "PATCH", "/api/dashboard/organisation");
/** Update a passkey. */
export const changePasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.changePasskey>("changePasskey", "PATCH", "/api/dashboard/profile/passkeys/{passkeyId}");
/** Change your password. */
export const changePassword = /* @__PURE__ */ call<typeof dashboardAccess.changePassword>("changePassword", "POST", "/api/dashboard/profile/password");
/** Update the plan or the limit. */
export const changePlan = /* @__PURE__ */ call<typeof dashboardUsage.changePlan>("changePlan", "PATCH", "/api/dashboard/usage");
/** Resolve, reopen or mute a problem. */
export const changeProblem = /* @__PURE__ */ call<typeof dashboardInbox.changeProblem>("changeProblem", "PATCH", "/api/dashboard/problems/{problemId}");
/** Update your name. */
export const changeProfile = /* @__PURE__ */ call<typeof dashboardAccess.changeProfile>("changeProfile", "PATCH", "/api/dashboard/profile");
/** Update a project. */
export const changeProject = /* @__PURE__ */ call<typeof dashboardBoards.changeProject>("changeProject", "PATCH", "/api/dashboard/projects/{projectId}");
/** Update the sign-in rules. */
export const changeSignInRules = /* @__PURE__ */ call<typeof dashboardFactors.changeSignInRules>("changeSignInRules", "PATCH", "/api/dashboard/sign-in-rules");
/** Update a subscriber. */
export const changeSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.changeSubscriber>("changeSubscriber", "PATCH", "/api/dashboard/subscribers/{subscriberId}");
/** Update a ticket. */
export const changeTicket = /* @__PURE__ */ call<typeof dashboardTickets.changeTicket>("changeTicket", "PATCH", "/api/dashboard/tickets/{ticketId}");
/** Update many tickets. */
export const changeTickets = /* @__PURE__ */ call<typeof dashboardTickets.changeTickets>("changeTickets", "PATCH", "/api/dashboard/tickets");
/** Update a token. */
export const changeToken = /* @__PURE__ */ call<typeof dashboardTokens.changeToken>("changeToken", "PATCH", "/api/dashboard/tokens/{tokenId}");
/** Close a thread permanently. */
export const closeThread = /* @__PURE__ */ call<typeof dashboardThreads.closeThread>("closeThread", "POST", "/api/dashboard/threads/{threadId}/close");
/** Comment on a ticket. */
export const commentOnTicket = /* @__PURE__ */ call<typeof tickets.commentOnTicket>("commentOnTicket", "POST", "/api/v1/tickets/{ticket}/comments");
/** Confirm an e-mail subscription. */
export const confirmSubscription = /* @__PURE__ */ call<typeof dashboardSubscribers.confirmSubscription>("confirmSubscription", "POST", "/api/dashboard/subscriptions/{secret}");
/** Turn on time-based codes. */
export const confirmTotp = /* @__PURE__ */ call<typeof dashboardFactors.confirmTotp>("confirmTotp", "POST", "/api/dashboard/profile/totp/confirmation");
/** Count your unread notifications. */
export const countNotices = /* @__PURE__ */ call<typeof dashboardNotices.countNotices>("countNotices", "GET", "/api/dashboard/notices/count", ["notices.changed"]);
/** Count the events that a replay would send. */
export const countReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.countReplay>("countReplay", "GET", "/api/dashboard/subscribers/{subscriberId}/replays/count");
/** Count the unread and waiting threads. */
export const countThreads = /* @__PURE__ */ call<typeof dashboardThreads.countThreads>("countThreads", "GET", "/api/dashboard/threads/counts", ["reply.received","thread.changed","thread.read"]);
/** Create an app with its first SDK key. */
export const createApp = /* @__PURE__ */ call<typeof dashboardApps.createApp>("createApp", "POST", "/api/dashboard/apps");
/** Create a board. */
export const createBoard = /* @__PURE__ */ call<typeof dashboardBoards.createBoard>("createBoard", "POST", "/api/dashboard/boards");
/** Create a column. */
export const createColumn = /* @__PURE__ */ call<typeof dashboardBoards.createColumn>("createColumn", "POST", "/api/dashboard/columns");
/** Create a webhook of the organisation. */
export const createHook = /* @__PURE__ */ call<typeof dashboardHooks.createHook>("createHook", "POST", "/api/dashboard/hooks");
/** Create an SDK key. */
export const createKey = /* @__PURE__ */ call<typeof dashboardApps.createKey>("createKey", "POST", "/api/dashboard/apps/{appId}/keys");
/** Create an organisation and switch to it. */
export const createOrganisation = /* @__PURE__ */ call<typeof dashboardAccess.createOrganisation>("createOrganisation", "POST", "/api/dashboard/organisations");
/** Create a project. */
export const createProject = /* @__PURE__ */ call<typeof dashboardBoards.createProject>("createProject", "POST", "/api/dashboard/projects");
/** Create a runner. */
export const createRunner = /* @__PURE__ */ call<typeof dashboardRuns.createRunner>("createRunner", "POST", "/api/dashboard/runners");
/** Create a subscriber. */
export const createSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.createSubscriber>("createSubscriber", "POST", "/api/dashboard/apps/{appId}/subscribers");
/** File a ticket as a person. */
export const createTicket = /* @__PURE__ */ call<typeof dashboardTickets.createTicket>("createTicket", "POST", "/api/dashboard/tickets");
/** Create a token. */
export const createToken = /* @__PURE__ */ call<typeof dashboardTokens.createToken>("createToken", "POST", "/api/dashboard/tokens");
/** Delete an app with its reports. */
export const deleteApp = /* @__PURE__ */ call<typeof dashboardApps.deleteApp>("deleteApp", "DELETE", "/api/dashboard/apps/{appId}");
/** Delete an empty board. */
export const deleteBoard = /* @__PURE__ */ call<typeof dashboardBoards.deleteBoard>("deleteBoard", "DELETE", "/api/dashboard/boards/{boardId}");
/** Delete a saved view. */
export const deleteBoardView = /* @__PURE__ */ call<typeof dashboardBoards.deleteBoardView>("deleteBoardView", "DELETE", "/api/dashboard/views/{viewId}");
/** Delete a column. */
export const deleteColumn = /* @__PURE__ */ call<typeof dashboardBoards.deleteColumn>("deleteColumn", "DELETE", "/api/dashboard/columns/{columnId}");
/** Delete a comment. */
export const deleteComment = /* @__PURE__ */ call<typeof dashboardTickets.deleteComment>("deleteComment", "DELETE", "/api/dashboard/tickets/{ticketId}/comments/{commentId}");
/** Delete a webhook of the organisation. */
export const deleteHook = /* @__PURE__ */ call<typeof dashboardHooks.deleteHook>("deleteHook", "DELETE", "/api/dashboard/hooks/{hookId}");
/** Delete a label. */
export const deleteLabel = /* @__PURE__ */ call<typeof dashboardLabels.deleteLabel>("deleteLabel", "POST", "/api/dashboard/labels/delete");
/** Delete an empty project. */
export const deleteProject = /* @__PURE__ */ call<typeof dashboardBoards.deleteProject>("deleteProject", "DELETE", "/api/dashboard/projects/{projectId}");
/** Delete a subscriber. */
export const deleteSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.deleteSubscriber>("deleteSubscriber", "DELETE", "/api/dashboard/subscribers/{subscriberId}");
/** Delete a ticket. */
export const deleteTicket = /* @__PURE__ */ call<typeof dashboardTickets.deleteTicket>("deleteTicket", "DELETE", "/api/dashboard/tickets/{ticketId}");
/** Delete an attachment of a ticket. */
export const deleteTicketAttachment = /* @__PURE__ */ call<typeof dashboardAttachments.deleteTicketAttachment>("deleteTicketAttachment", "DELETE", "/api/dashboard/attachments/{attachmentId}");
/** Delete many tickets. */
export const deleteTickets = /* @__PURE__ */ call<typeof dashboardTickets.deleteTickets>("deleteTickets", "POST", "/api/dashboard/tickets/delete");
/** Download an attachment. */
export const downloadArtifact = /* @__PURE__ */ call<typeof envelope.downloadArtifact>("downloadArtifact", "GET", "/api/artifacts/{appId}/{eventId}/{part}");
/** Download an attachment of a ticket. */
export const downloadAttachment = /* @__PURE__ */ call<typeof attachments.downloadAttachment>("downloadAttachment", "GET", "/api/v1/attachments/{attachmentId}");
/** Permanently delete all tickets in the trash of a project. */
export const emptyTrash = /* @__PURE__ */ call<typeof dashboardTrash.emptyTrash>("emptyTrash", "DELETE", "/api/dashboard/projects/{projectId}/trash");
/** Sign out everywhere else. */
export const endOtherSessions = /* @__PURE__ */ call<typeof dashboardAccess.endOtherSessions>("endOtherSessions", "DELETE", "/api/dashboard/sessions");
/** End one of your sessions. */
export const endSession = /* @__PURE__ */ call<typeof dashboardAccess.endSession>("endSession", "DELETE", "/api/dashboard/sessions/{sessionId}");
/** Erase all reports of a user, e-mail address or install. */
export const eraseReports = /* @__PURE__ */ call<typeof dashboardErasures.eraseReports>("eraseReports", "POST", "/api/dashboard/erasures");
/** Export the tickets of a board as CSV. */
export const exportCards = /* @__PURE__ */ call<typeof dashboardImports.exportCards>("exportCards", "GET", "/api/dashboard/boards/{boardId}/cards.csv");
/** File a ticket. */
export const fileTicket = /* @__PURE__ */ call<typeof tickets.fileTicket>("fileTicket", "POST", "/api/v1/tickets");
/** Link your account using the identity provider's response. */
export const finishIdentityLink = /* @__PURE__ */ call<typeof dashboardProviders.finishIdentityLink>("finishIdentityLink", "POST", "/api/dashboard/profile/identities/{slug}/completion");
/** Sign in with a passkey. */
export const finishPasskeySignIn = /* @__PURE__ */ call<typeof dashboardPasskeys.finishPasskeySignIn>("finishPasskeySignIn", "POST", "/api/dashboard/passkey-sign-ins/completion");
/** Finish signing in with an identity provider. */
export const finishProviderSignIn = /* @__PURE__ */ call<typeof dashboardProviders.finishProviderSignIn>("finishProviderSignIn", "POST", "/api/dashboard/provider-sign-ins/{slug}/completion");
/** Finish a run. */
export const finishRun = /* @__PURE__ */ call<typeof runners.finishRun>("finishRun", "POST", "/api/v1/runner/runs/{runId}/finish");
/** Get an app with its SDK keys. */
export const getApp = /* @__PURE__ */ call<typeof dashboardApps.getApp>("getApp", "GET", "/api/dashboard/apps/{appId}", ["apps.changed","inbox.changed"]);
/** Get a board's statistics by week, author and label. */
export const getBoardInsights = /* @__PURE__ */ call<typeof dashboardInsights.getBoardInsights>("getBoardInsights", "GET", "/api/dashboard/boards/{boardId}/insights");
/** Get the configuration of an SDK. */
export const getClientConfig = /* @__PURE__ */ call<typeof envelope.getClientConfig>("getClientConfig", "GET", "/api/config");
/** Get the credits and their history. */
export const getCredits = /* @__PURE__ */ call<typeof dashboardRuns.getCredits>("getCredits", "GET", "/api/dashboard/credits", ["run.changed","credits.changed"]);
/** Get a delivery as a curl command. */
export const getDeliveryCurl = /* @__PURE__ */ call<typeof dashboardDeliveries.getDeliveryCurl>("getDeliveryCurl", "GET", "/api/dashboard/deliveries/{deliveryId}/curl");
/** Get an event. */
export const getEvent = /* @__PURE__ */ call<typeof dashboardInbox.getEvent>("getEvent", "GET", "/api/dashboard/events/{eventId}", ["problem.occurred","problem.changed"]);
/** Find the organisation, app and problem of an event. */
export const getEventPlace = /* @__PURE__ */ call<typeof dashboardInbox.getEventPlace>("getEventPlace", "GET", "/api/dashboard/events/{eventId}/place");
/** Check whether you follow a ticket. */
export const getFollowing = /* @__PURE__ */ call<typeof dashboardWork.getFollowing>("getFollowing", "GET", "/api/dashboard/tickets/{ticketId}/following", ["ticket.changed","ticket.commented","notices.changed"]);
/** Get the identity provider. */
export const getIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.getIdentityProvider>("getIdentityProvider", "GET", "/api/dashboard/identity-provider", ["members.changed"]);
/** Get an image of a description or comment. */
export const getImage = /* @__PURE__ */ call<typeof dashboardImages.getImage>("getImage", "GET", "/api/dashboard/images/{imageId}");
/** Count the events of an app over time. */
export const getInboxHistogram = /* @__PURE__ */ call<typeof dashboardInbox.getInboxHistogram>("getInboxHistogram", "GET", "/api/dashboard/apps/{appId}/inbox/histogram", ["inbox.changed"]);
/** Get an invitation. */
export const getInvitationLink = /* @__PURE__ */ call<typeof dashboardAccess.getInvitationLink>("getInvitationLink", "GET", "/api/dashboard/invitation-links/{secret}");
/** Get your notification settings. */
export const getNoticeChoices = /* @__PURE__ */ call<typeof dashboardNotices.getNoticeChoices>("getNoticeChoices", "GET", "/api/dashboard/notices/choices");
/** Get the organisation. */
export const getOrganisation = /* @__PURE__ */ call<typeof dashboardOrganisation.getOrganisation>("getOrganisation", "GET", "/api/dashboard/organisation", ["organisation.changed"]);
/** Get a password link. */
export const getPasswordLink = /* @__PURE__ */ call<typeof dashboardAccess.getPasswordLink>("getPasswordLink", "GET", "/api/dashboard/password-links/{secret}");
/** Get a problem. */
export const getProblem = /* @__PURE__ */ call<typeof dashboardInbox.getProblem>("getProblem", "GET", "/api/dashboard/problems/{problemId}", ["problem.occurred","problem.changed"]);
/** Get the regrouping of an app's problems. */
export const getRegrouping = /* @__PURE__ */ call<typeof dashboardRegrouping.getRegrouping>("getRegrouping", "GET", "/api/dashboard/apps/{appId}/regrouping");
/** Get a run. */
export const getRun = /* @__PURE__ */ call<typeof dashboardRuns.getRun>("getRun", "GET", "/api/dashboard/runs/{runId}", ["run.changed","board.changed"]);
/** Get your two-factor authentication. */
export const getSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.getSecondFactor>("getSecondFactor", "GET", "/api/dashboard/profile/second-factor");
/** Get the session. */
export const getSession = /* @__PURE__ */ call<typeof dashboardAccess.getSession>("getSession", "GET", "/api/dashboard/session", ["members.changed","organisation.changed"]);
/** Check whether this Lodge is set up. */
export const getSetup = /* @__PURE__ */ call<typeof dashboardAccess.getSetup>("getSetup", "GET", "/api/dashboard/setup");
/** Get the sign-in rules. */
export const getSignInRules = /* @__PURE__ */ call<typeof dashboardFactors.getSignInRules>("getSignInRules", "GET", "/api/dashboard/sign-in-rules", ["members.changed"]);
/** Get a subscriber. */
export const getSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.getSubscriber>("getSubscriber", "GET", "/api/dashboard/subscribers/{subscriberId}", ["subscribers.changed"]);
/** Get the subscription that a link confirms. */
export const getSubscription = /* @__PURE__ */ call<typeof dashboardSubscribers.getSubscription>("getSubscription", "GET", "/api/dashboard/subscriptions/{secret}");
/** Get a thread. */
export const getThread = /* @__PURE__ */ call<typeof dashboardThreads.getThread>("getThread", "GET", "/api/dashboard/threads/{threadId}", ["reply.received","thread.changed","thread.read"]);
/** Get a ticket. */
export const getTicket = /* @__PURE__ */ call<typeof dashboardTickets.getTicket>("getTicket", "GET", "/api/dashboard/tickets/{ticketId}", ["run.changed","ticket.filed","ticket.changed","ticket.moved","ticket.commented","ticket.archived","ticket.restored","ticket.deleted","board.changed","labels.changed"]);
/** Download an attachment of a ticket. */
export const getTicketAttachment = /* @__PURE__ */ call<typeof dashboardAttachments.getTicketAttachment>("getTicketAttachment", "GET", "/api/dashboard/attachments/{attachmentId}");
/** Find the organisation, project, board and column of a ticket. */
export const getTicketPlace = /* @__PURE__ */ call<typeof dashboardTickets.getTicketPlace>("getTicketPlace", "GET", "/api/dashboard/tickets/{ticketId}/place");
/** Get the report or problem of a ticket. */
export const getTicketReport = /* @__PURE__ */ call<typeof dashboardInbox.getTicketReport>("getTicketReport", "GET", "/api/dashboard/tickets/{ticketId}/report", ["problem.occurred","problem.changed","board.changed"]);
/** Get a ticket in the trash. */
export const getTrashedTicket = /* @__PURE__ */ call<typeof dashboardTrash.getTrashedTicket>("getTrashedTicket", "GET", "/api/dashboard/trash/{ticketId}", ["ticket.deleted","ticket.restored"]);
/** Get usage and plan. */
export const getUsage = /* @__PURE__ */ call<typeof dashboardUsage.getUsage>("getUsage", "GET", "/api/dashboard/usage", ["allowance.changed"]);
/** Renew the lease of a run. */
export const heartbeatRun = /* @__PURE__ */ call<typeof runners.heartbeatRun>("heartbeatRun", "POST", "/api/v1/runner/runs/{runId}/heartbeat");
/** Import tickets from a CSV file. */
export const importCards = /* @__PURE__ */ call<typeof dashboardImports.importCards>("importCards", "POST", "/api/dashboard/boards/{boardId}/imports");
/** Invite a person. */
export const invite = /* @__PURE__ */ call<typeof dashboardAccess.invite>("invite", "POST", "/api/dashboard/invitations");
/** List the history of a ticket. */
export const listActivities = /* @__PURE__ */ call<typeof dashboardTickets.listActivities>("listActivities", "GET", "/api/dashboard/tickets/{ticketId}/activities", ["ticket.filed","ticket.changed","ticket.moved","ticket.commented","ticket.archived","ticket.restored","ticket.deleted","board.changed"]);
/** List source maps of an app. */
export const listAppSourceMaps = /* @__PURE__ */ call<typeof dashboardApps.listAppSourceMaps>("listAppSourceMaps", "GET", "/api/dashboard/apps/{appId}/source-maps");
/** List the apps. */
export const listApps = /* @__PURE__ */ call<typeof dashboardApps.listApps>("listApps", "GET", "/api/dashboard/apps", ["apps.changed","inbox.changed","allowance.changed"]);
/** List the archived tickets of a board. */
export const listArchive = /* @__PURE__ */ call<typeof dashboardBoards.listArchive>("listArchive", "GET", "/api/dashboard/boards/{boardId}/archive", ["ticket.changed","ticket.archived","ticket.restored","ticket.deleted","board.changed","labels.changed"]);
/** List the attachments of a ticket. */
export const listAttachments = /* @__PURE__ */ call<typeof attachments.listAttachments>("listAttachments", "GET", "/api/v1/tickets/{ticket}/attachments");
/** List the entries of the audit log. */
export const listAudit = /* @__PURE__ */ call<typeof dashboardOrganisation.listAudit>("listAudit", "GET", "/api/dashboard/audit");
/** List the tokens and apps that file tickets. */
export const listAuthors = /* @__PURE__ */ call<typeof dashboardTickets.listAuthors>("listAuthors", "GET", "/api/dashboard/authors", ["tokens.changed"]);
/** List the tickets of a board. */
export const listBoardCards = /* @__PURE__ */ call<typeof dashboardBoards.listBoardCards>("listBoardCards", "GET", "/api/dashboard/boards/{boardId}/cards");
/** Count the tickets of every board. */
export const listBoardFigures = /* @__PURE__ */ call<typeof dashboardBoards.listBoardFigures>("listBoardFigures", "GET", "/api/dashboard/boards");
/** List the subscribers that file reports onto a board. */
export const listBoardSubscribers = /* @__PURE__ */ call<typeof dashboardOrganisation.listBoardSubscribers>("listBoardSubscribers", "GET", "/api/dashboard/boards/{boardId}/subscribers");
/** List the saved views and your favourite boards. */
export const listBoardViews = /* @__PURE__ */ call<typeof dashboardBoards.listBoardViews>("listBoardViews", "GET", "/api/dashboard/views", ["views.changed","projects.changed","labels.changed"]);
/** List the tickets of a column. */
export const listCards = /* @__PURE__ */ call<typeof dashboardBoards.listCards>("listCards", "GET", "/api/dashboard/columns/{columnId}/cards");
/** List the comments on a ticket. */
export const listComments = /* @__PURE__ */ call<typeof dashboardTickets.listComments>("listComments", "GET", "/api/dashboard/tickets/{ticketId}/comments", ["ticket.commented"]);
/** List the threads of a device that have new messages. */
export const listDeviceThreads = /* @__PURE__ */ call<typeof replies.listDeviceThreads>("listDeviceThreads", "GET", "/api/devices/{deviceId}/threads");
/** List the deliveries of an event. */
export const listEventDeliveries = /* @__PURE__ */ call<typeof dashboardDeliveries.listEventDeliveries>("listEventDeliveries", "GET", "/api/dashboard/events/{eventId}/deliveries");
/** List events. */
export const listEvents = /* @__PURE__ */ call<typeof events.listEvents>("listEvents", "GET", "/api/v1/events");
/** List the deliveries of a webhook of the organisation. */
export const listHookDeliveries = /* @__PURE__ */ call<typeof dashboardHooks.listHookDeliveries>("listHookDeliveries", "GET", "/api/dashboard/hooks/{hookId}/deliveries", ["hooks.changed"]);
/** List the webhooks of the organisation. */
export const listHooks = /* @__PURE__ */ call<typeof dashboardHooks.listHooks>("listHooks", "GET", "/api/dashboard/hooks", ["hooks.changed"]);
/** List the imports of a board. */
export const listImports = /* @__PURE__ */ call<typeof dashboardImports.listImports>("listImports", "GET", "/api/dashboard/boards/{boardId}/imports", ["board.changed"]);
/** List the filter values of an inbox. */
export const listInboxChoices = /* @__PURE__ */ call<typeof dashboardInbox.listInboxChoices>("listInboxChoices", "GET", "/api/dashboard/apps/{appId}/inbox/choices");
/** List the apps with their inboxes. */
export const listInboxes = /* @__PURE__ */ call<typeof dashboardInbox.listInboxes>("listInboxes", "GET", "/api/dashboard/inboxes", ["inbox.changed","problem.changed","apps.changed"]);
/** List the invitations. */
export const listInvitations = /* @__PURE__ */ call<typeof dashboardAccess.listInvitations>("listInvitations", "GET", "/api/dashboard/invitations", ["invitations.changed"]);
/** List the labels that tickets have used. */
export const listLabels = /* @__PURE__ */ call<typeof dashboardLabels.listLabels>("listLabels", "GET", "/api/dashboard/labels", ["labels.changed"]);
/** List the members. */
export const listMembers = /* @__PURE__ */ call<typeof dashboardAccess.listMembers>("listMembers", "GET", "/api/dashboard/members", ["members.changed"]);
/** List the messages of a thread. */
export const listMessages = /* @__PURE__ */ call<typeof replies.listMessages>("listMessages", "GET", "/api/threads/{threadId}/messages");
/** List your notifications. */
export const listNotices = /* @__PURE__ */ call<typeof dashboardNotices.listNotices>("listNotices", "GET", "/api/dashboard/notices", ["notices.changed","board.changed"]);
/** Look up tickets by their numbers. */
export const listNumberedCards = /* @__PURE__ */ call<typeof dashboardRelations.listNumberedCards>("listNumberedCards", "GET", "/api/dashboard/numbers");
/** List the identity providers that you can sign in with. */
export const listOwnIdentities = /* @__PURE__ */ call<typeof dashboardProviders.listOwnIdentities>("listOwnIdentities", "GET", "/api/dashboard/profile/identities");
/** List your passkeys. */
export const listPasskeys = /* @__PURE__ */ call<typeof dashboardPasskeys.listPasskeys>("listPasskeys", "GET", "/api/dashboard/profile/passkeys");
/** List the people who can be mentioned and assigned. */
export const listPeople = /* @__PURE__ */ call<typeof dashboardAccess.listPeople>("listPeople", "GET", "/api/dashboard/people", ["members.changed"]);
/** List the events of a problem. */
export const listProblemEvents = /* @__PURE__ */ call<typeof dashboardInbox.listProblemEvents>("listProblemEvents", "GET", "/api/dashboard/problems/{problemId}/events", ["problem.occurred","problem.changed"]);
/** List and search problems. */
export const listProblems = /* @__PURE__ */ call<typeof apiproblems.listProblems>("listProblems", "GET", "/api/v1/problems");
/** List the subscribers that file reports onto the boards of a project. */
export const listProjectSubscribers = /* @__PURE__ */ call<typeof dashboardOrganisation.listProjectSubscribers>("listProjectSubscribers", "GET", "/api/dashboard/projects/{projectId}/subscribers");
/** List the projects. */
export const listProjects = /* @__PURE__ */ call<typeof dashboardBoards.listProjects>("listProjects", "GET", "/api/dashboard/projects", ["projects.changed","board.changed"]);
/** List the projects that the token has access to. */
export const listReach = /* @__PURE__ */ call<typeof projects.listReach>("listReach", "GET", "/api/v1/projects");
/** Count the refused reports of an app by day, code and key. */
export const listRefusals = /* @__PURE__ */ call<typeof dashboardApps.listRefusals>("listRefusals", "GET", "/api/dashboard/apps/{appId}/refusals");
/** List the relations of a ticket. */
export const listRelations = /* @__PURE__ */ call<typeof dashboardRelations.listRelations>("listRelations", "GET", "/api/dashboard/tickets/{ticketId}/relations", ["ticket.changed"]);
/** List the versions of an app. */
export const listReleases = /* @__PURE__ */ call<typeof dashboardReleases.listReleases>("listReleases", "GET", "/api/dashboard/apps/{appId}/releases", ["inbox.changed","problem.changed"]);
/** List the repositories of the organisation. */
export const listRunnerRepositories = /* @__PURE__ */ call<typeof runners.listRunnerRepositories>("listRunnerRepositories", "GET", "/api/v1/runner/repositories");
/** List the runners. */
export const listRunners = /* @__PURE__ */ call<typeof dashboardRuns.listRunners>("listRunners", "GET", "/api/dashboard/runners", ["runners.changed","run.changed"]);
/** List the agent's runs. */
export const listRuns = /* @__PURE__ */ call<typeof dashboardRuns.listRuns>("listRuns", "GET", "/api/dashboard/runs", ["run.changed","board.changed"]);
/** List your sessions. */
export const listSessions = /* @__PURE__ */ call<typeof dashboardAccess.listSessions>("listSessions", "GET", "/api/dashboard/sessions");
/** List source maps. */
export const listSourceMaps = /* @__PURE__ */ call<typeof sourcemaps.listSourceMaps>("listSourceMaps", "GET", "/api/v1/apps/{app}/source-maps");
/** List the deliveries to a subscriber. */
export const listSubscriberDeliveries = /* @__PURE__ */ call<typeof dashboardSubscribers.listSubscriberDeliveries>("listSubscriberDeliveries", "GET", "/api/dashboard/subscribers/{subscriberId}/deliveries");
/** List the subscribers. */
export const listSubscribers = /* @__PURE__ */ call<typeof dashboardSubscribers.listSubscribers>("listSubscribers", "GET", "/api/dashboard/subscribers", ["subscribers.changed"]);
/** List the threads with reporters. */
export const listThreads = /* @__PURE__ */ call<typeof dashboardThreads.listThreads>("listThreads", "GET", "/api/dashboard/threads", ["reply.received","thread.changed","thread.read"]);
/** List the attachments of a ticket. */
export const listTicketAttachments = /* @__PURE__ */ call<typeof dashboardAttachments.listTicketAttachments>("listTicketAttachments", "GET", "/api/dashboard/tickets/{ticketId}/attachments", ["ticket.changed"]);
/** List the ids to use in tickets. */
export const listTicketIds = /* @__PURE__ */ call<typeof dashboardOrganisation.listTicketIds>("listTicketIds", "GET", "/api/dashboard/organisation/ids", ["projects.changed","board.changed","members.changed"]);
/** List and search tickets. */
export const listTickets = /* @__PURE__ */ call<typeof tickets.listTickets>("listTickets", "GET", "/api/v1/tickets");
/** List the active tokens. */
export const listTokens = /* @__PURE__ */ call<typeof dashboardTokens.listTokens>("listTokens", "GET", "/api/dashboard/tokens", ["tokens.changed"]);
/** List the newest and the most frequent problems of all apps. */
export const listTopProblems = /* @__PURE__ */ call<typeof dashboardInbox.listTopProblems>("listTopProblems", "GET", "/api/dashboard/problems/top", ["inbox.changed","problem.changed","apps.changed"]);
/** List the tickets in the trash of a project. */
export const listTrash = /* @__PURE__ */ call<typeof dashboardTrash.listTrash>("listTrash", "GET", "/api/dashboard/projects/{projectId}/trash", ["ticket.deleted","ticket.restored","board.changed"]);
/** List the tickets that you are assigned to or follow. */
export const listWork = /* @__PURE__ */ call<typeof dashboardWork.listWork>("listWork", "GET", "/api/dashboard/work", ["ticket.filed","ticket.changed","ticket.moved","ticket.archived","ticket.restored","ticket.deleted","notices.changed","board.changed","projects.changed"]);
/** Request a password link by e-mail. */
export const losePassword = /* @__PURE__ */ call<typeof dashboardAccess.losePassword>("losePassword", "POST", "/api/dashboard/password-links");
/** Create a ticket for an event, or for its problem if it has one. */
export const makeEventCard = /* @__PURE__ */ call<typeof dashboardInbox.makeEventCard>("makeEventCard", "POST", "/api/dashboard/events/{eventId}/cards");
/** Create a password link for a member. */
export const makePasswordLink = /* @__PURE__ */ call<typeof dashboardAccess.makePasswordLink>("makePasswordLink", "POST", "/api/dashboard/members/{userId}/password-link");
/** Create a ticket for a problem. */
export const makeProblemCard = /* @__PURE__ */ call<typeof dashboardInbox.makeProblemCard>("makeProblemCard", "POST", "/api/dashboard/problems/{problemId}/cards");
/** Create a ticket from a task. */
export const makeTaskCard = /* @__PURE__ */ call<typeof dashboardRelations.makeTaskCard>("makeTaskCard", "POST", "/api/dashboard/tickets/{ticketId}/tasks");
/** Mark a thread as read. */
export const markThreadRead = /* @__PURE__ */ call<typeof dashboardThreads.markThreadRead>("markThreadRead", "POST", "/api/dashboard/threads/{threadId}/read");
/** Merge a label into another one. */
export const mergeLabel = /* @__PURE__ */ call<typeof dashboardLabels.mergeLabel>("mergeLabel", "POST", "/api/dashboard/labels/merge");
/** Merge problems. */
export const mergeProblems = /* @__PURE__ */ call<typeof dashboardInbox.mergeProblems>("mergeProblems", "POST", "/api/dashboard/problems/{problemId}/merge");
/** Move a ticket. */
export const moveTicket = /* @__PURE__ */ call<typeof dashboardTickets.moveTicket>("moveTicket", "POST", "/api/dashboard/tickets/{ticketId}/move");
/** Reply as the reporter. */
export const postMessage = /* @__PURE__ */ call<typeof replies.postMessage>("postMessage", "POST", "/api/threads/{threadId}/messages");
/** Count what deleting an app would delete. */
export const previewAppDeletion = /* @__PURE__ */ call<typeof dashboardApps.previewAppDeletion>("previewAppDeletion", "GET", "/api/dashboard/apps/{appId}/deletion");
/** Preview an import of a CSV file. */
export const previewImport = /* @__PURE__ */ call<typeof dashboardImports.previewImport>("previewImport", "POST", "/api/dashboard/boards/{boardId}/imports/preview");
/** Preview the regrouping of an app's problems. */
export const previewRegrouping = /* @__PURE__ */ call<typeof dashboardRegrouping.previewRegrouping>("previewRegrouping", "POST", "/api/dashboard/apps/{appId}/regrouping");
/** Permanently delete a ticket in the trash. */
export const purgeTicket = /* @__PURE__ */ call<typeof dashboardTrash.purgeTicket>("purgeTicket", "DELETE", "/api/dashboard/trash/{ticketId}");
/** List the comments on a ticket. */
export const readComments = /* @__PURE__ */ call<typeof tickets.readComments>("readComments", "GET", "/api/v1/tickets/{ticket}/comments");
/** Get an event. */
export const readEvent = /* @__PURE__ */ call<typeof apiproblems.readEvent>("readEvent", "GET", "/api/v1/events/{eventId}");
/** List labels. */
export const readLabels = /* @__PURE__ */ call<typeof tickets.readLabels>("readLabels", "GET", "/api/v1/labels");
/** Mark notifications as read or unread. */
export const readNotices = /* @__PURE__ */ call<typeof dashboardNotices.readNotices>("readNotices", "POST", "/api/dashboard/notices/read");
/** Get a problem. */
export const readProblem = /* @__PURE__ */ call<typeof apiproblems.readProblem>("readProblem", "GET", "/api/v1/problems/{problemId}");
/** List the events of a problem. */
export const readProblemEvents = /* @__PURE__ */ call<typeof apiproblems.readProblemEvents>("readProblemEvents", "GET", "/api/v1/problems/{problemId}/events");
/** List the entries of a run's log. */
export const readRunLog = /* @__PURE__ */ call<typeof dashboardRuns.readRunLog>("readRunLog", "GET", "/api/dashboard/runs/{runId}/log", ["run.logged","board.changed"]);
/** Download the patch of a run. */
export const readRunPatch = /* @__PURE__ */ call<typeof dashboardRuns.readRunPatch>("readRunPatch", "GET", "/api/dashboard/runs/{runId}/patch");
/** Get the texts before and after a change. */
export const readTexts = /* @__PURE__ */ call<typeof dashboardTickets.readTexts>("readTexts", "GET", "/api/dashboard/tickets/{ticketId}/activities/{activityId}/texts", ["board.changed"]);
/** List the messages of a thread. */
export const readThread = /* @__PURE__ */ call<typeof dashboardThreads.readThread>("readThread", "GET", "/api/dashboard/threads/{threadId}/messages", ["reply.received","thread.changed"]);
/** Get a ticket. */
export const readTicket = /* @__PURE__ */ call<typeof tickets.readTicket>("readTicket", "GET", "/api/v1/tickets/{ticket}");
/** Relate a ticket to another one. */
export const relateTickets = /* @__PURE__ */ call<typeof dashboardRelations.relateTickets>("relateTickets", "POST", "/api/dashboard/tickets/{ticketId}/relations");
/** Start a held run. */
export const releaseRun = /* @__PURE__ */ call<typeof dashboardRuns.releaseRun>("releaseRun", "POST", "/api/dashboard/runs/{runId}/release");
/** Remove the identity provider. */
export const removeIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.removeIdentityProvider>("removeIdentityProvider", "DELETE", "/api/dashboard/identity-provider");
/** Remove a member, or leave the organisation. */
export const removeMember = /* @__PURE__ */ call<typeof dashboardAccess.removeMember>("removeMember", "DELETE", "/api/dashboard/members/{userId}");
/** Remove a member's second factor. */
export const removeMemberSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.removeMemberSecondFactor>("removeMemberSecondFactor", "DELETE", "/api/dashboard/members/{userId}/second-factor");
/** Turn off two-factor authentication. */
export const removeOwnSecondFactor = /* @__PURE__ */ call<typeof dashboardFactors.removeOwnSecondFactor>("removeOwnSecondFactor", "POST", "/api/dashboard/profile/second-factor/removal");
/** Remove a passkey. */
export const removePasskey = /* @__PURE__ */ call<typeof dashboardPasskeys.removePasskey>("removePasskey", "POST", "/api/dashboard/profile/passkeys/{passkeyId}/removal");
/** Remove a relation. */
export const removeRelation = /* @__PURE__ */ call<typeof dashboardRelations.removeRelation>("removeRelation", "DELETE", "/api/dashboard/tickets/{ticketId}/relations/{otherId}");
/** Create new recovery codes. */
export const renewRecoveryCodes = /* @__PURE__ */ call<typeof dashboardFactors.renewRecoveryCodes>("renewRecoveryCodes", "POST", "/api/dashboard/profile/recovery-codes");
/** Report whether a pull request was opened. */
export const reportOpening = /* @__PURE__ */ call<typeof runners.reportOpening>("reportOpening", "POST", "/api/v1/runner/runs/{runId}/opening");
/** Report the state of a pull request. */
export const reportPullRequest = /* @__PURE__ */ call<typeof runners.reportPullRequest>("reportPullRequest", "POST", "/api/v1/runner/runs/{runId}/pull-request");
/** Resend permanently failed deliveries. */
export const resendDeadDeliveries = /* @__PURE__ */ call<typeof dashboardSubscribers.resendDeadDeliveries>("resendDeadDeliveries", "POST", "/api/dashboard/subscribers/{subscriberId}/resend");
/** Resend a delivery. */
export const resendDelivery = /* @__PURE__ */ call<typeof dashboardDeliveries.resendDelivery>("resendDelivery", "POST", "/api/dashboard/deliveries/{deliveryId}/resend");
/** Resend deliveries of a webhook of the organisation. */
export const resendHookDeliveries = /* @__PURE__ */ call<typeof dashboardHooks.resendHookDeliveries>("resendHookDeliveries", "POST", "/api/dashboard/hooks/{hookId}/resend");
/** Resend a delivery of a webhook of the organisation. */
export const resendHookDelivery = /* @__PURE__ */ call<typeof dashboardHooks.resendHookDelivery>("resendHookDelivery", "POST", "/api/dashboard/hooks/{hookId}/deliveries/{deliveryId}/resend");
/** Restore tickets from the trash. */
export const restoreTickets = /* @__PURE__ */ call<typeof dashboardTrash.restoreTickets>("restoreTickets", "POST", "/api/dashboard/trash/restore");
/** Retry opening a pull request. */
export const retryPullRequest = /* @__PURE__ */ call<typeof dashboardRuns.retryPullRequest>("retryPullRequest", "POST", "/api/dashboard/runs/{runId}/pull-request");
/** Retry opening a pull request. */
export const retryTicketPullRequest = /* @__PURE__ */ call<typeof tickets.retryTicketPullRequest>("retryTicketPullRequest", "POST", "/api/v1/tickets/{ticket}/pull-request");
/** Revoke an invitation. */
export const revokeInvitation = /* @__PURE__ */ call<typeof dashboardAccess.revokeInvitation>("revokeInvitation", "DELETE", "/api/dashboard/invitations/{invitationId}");
/** Revoke an SDK key. */
export const revokeKey = /* @__PURE__ */ call<typeof dashboardApps.revokeKey>("revokeKey", "DELETE", "/api/dashboard/apps/{appId}/keys/{keyId}");
/** Revoke a runner. */
export const revokeRunner = /* @__PURE__ */ call<typeof dashboardRuns.revokeRunner>("revokeRunner", "DELETE", "/api/dashboard/runners/{runnerId}");
/** Revoke a token. */
export const revokeToken = /* @__PURE__ */ call<typeof dashboardTokens.revokeToken>("revokeToken", "DELETE", "/api/dashboard/tokens/{tokenId}");
/** Rotate the secret of a webhook of the organisation. */
export const rotateHookSecret = /* @__PURE__ */ call<typeof dashboardHooks.rotateHookSecret>("rotateHookSecret", "POST", "/api/dashboard/hooks/{hookId}/secrets");
/** Replace an SDK key. */
export const rotateKey = /* @__PURE__ */ call<typeof dashboardApps.rotateKey>("rotateKey", "POST", "/api/dashboard/apps/{appId}/keys/{keyId}/rotate");
/** Rotate the secret of a webhook. */
export const rotateSubscriberSecret = /* @__PURE__ */ call<typeof dashboardSubscribers.rotateSubscriberSecret>("rotateSubscriberSecret", "POST", "/api/dashboard/subscribers/{subscriberId}/secrets");
/** Save a view. */
export const saveBoardView = /* @__PURE__ */ call<typeof dashboardBoards.saveBoardView>("saveBoardView", "POST", "/api/dashboard/boards/{boardId}/views");
/** Search tickets, problems and reports. */
export const searchCards = /* @__PURE__ */ call<typeof dashboardSearch.searchCards>("searchCards", "GET", "/api/dashboard/search");
/** Resend the confirmation link of a subscriber. */
export const sendSubscriberConfirmation = /* @__PURE__ */ call<typeof dashboardSubscribers.sendSubscriberConfirmation>("sendSubscriberConfirmation", "POST", "/api/dashboard/subscribers/{subscriberId}/confirmation");
/** Add a board to your favourites, or remove it. */
export const setFavourite = /* @__PURE__ */ call<typeof dashboardBoards.setFavourite>("setFavourite", "PATCH", "/api/dashboard/boards/{boardId}/favourite");
/** Set the identity provider. */
export const setIdentityProvider = /* @__PURE__ */ call<typeof dashboardProviders.setIdentityProvider>("setIdentityProvider", "POST", "/api/dashboard/identity-provider");
/** Set a new password with a link. */
export const setPassword = /* @__PURE__ */ call<typeof dashboardAccess.setPassword>("setPassword", "POST", "/api/dashboard/password-links/{secret}");
/** Create the first owner and an organisation. */
export const setUp = /* @__PURE__ */ call<typeof dashboardAccess.setUp>("setUp", "POST", "/api/dashboard/setup");
/** Get the token of the request. */
export const showOwnToken = /* @__PURE__ */ call<typeof tokens.showOwnToken>("showOwnToken", "GET", "/api/v1/token");
/** Sign in. */
export const signIn = /* @__PURE__ */ call<typeof dashboardAccess.signIn>("signIn", "POST", "/api/dashboard/session");
/** Sign out. */
export const signOut = /* @__PURE__ */ call<typeof dashboardAccess.signOut>("signOut", "DELETE", "/api/dashboard/session");
/** Skip a delivery. */
export const skipDelivery = /* @__PURE__ */ call<typeof dashboardDeliveries.skipDelivery>("skipDelivery", "POST", "/api/dashboard/deliveries/{deliveryId}/skip");
/** Split a problem. */
export const splitProblem = /* @__PURE__ */ call<typeof dashboardInbox.splitProblem>("splitProblem", "POST", "/api/dashboard/problems/{problemId}/split");
/** Start a replay. */
export const startReplay = /* @__PURE__ */ call<typeof dashboardSubscribers.startReplay>("startReplay", "POST", "/api/dashboard/subscribers/{subscriberId}/replays");
/** Upload an image for a new ticket. */
export const storeDraftImage = /* @__PURE__ */ call<typeof dashboardImages.storeDraftImage>("storeDraftImage", "POST", "/api/dashboard/images");
/** Upload an image for a description or comment. */
export const storeImage = /* @__PURE__ */ call<typeof dashboardImages.storeImage>("storeImage", "POST", "/api/dashboard/tickets/{ticketId}/images");
/** Stream changes. */
export const streamEvents = /* @__PURE__ */ call<typeof dashboardEvents.streamEvents>("streamEvents", "GET", "/api/dashboard/events");
/** Exclude a month. */
export const strikeOutMonth = /* @__PURE__ */ call<typeof dashboardUsage.strikeOutMonth>("strikeOutMonth", "POST", "/api/dashboard/usage/strike-outs");
/** Submit a report. */
export const submitReport = /* @__PURE__ */ call<typeof envelope.submitReport>("submitReport", "POST", "/api/ingest");
/** Submit an envelope from a Sentry SDK. */
export const submitSentryEnvelope = /* @__PURE__ */ call<typeof sentry.submitSentryEnvelope>("submitSentryEnvelope", "POST", "/api/{appNumber}/envelope");
/** Submit an event from an old Sentry SDK. */
export const submitSentryEvent = /* @__PURE__ */ call<typeof sentry.submitSentryEvent>("submitSentryEvent", "POST", "/api/{appNumber}/store");
/** Switch to another organisation. */
export const switchOrganisation = /* @__PURE__ */ call<typeof dashboardAccess.switchOrganisation>("switchOrganisation", "PATCH", "/api/dashboard/session");
/** Take a run. */
export const takeRun = /* @__PURE__ */ call<typeof runners.takeRun>("takeRun", "POST", "/api/v1/runner/take");
/** Send a test message. */
export const testSubscriber = /* @__PURE__ */ call<typeof dashboardSubscribers.testSubscriber>("testSubscriber", "POST", "/api/dashboard/apps/{appId}/subscribers/test");
/** Remove a Git repository from its project. */
export const unbindRepository = /* @__PURE__ */ call<typeof dashboardOrganisation.unbindRepository>("unbindRepository", "DELETE", "/api/dashboard/repositories/{repositoryId}");
/** Undo an import. */
export const undoImport = /* @__PURE__ */ call<typeof dashboardImports.undoImport>("undoImport", "POST", "/api/dashboard/imports/{importId}/undo");
/** Undo the regrouping of an app's problems. */
export const undoRegrouping = /* @__PURE__ */ call<typeof dashboardRegrouping.undoRegrouping>("undoRegrouping", "POST", "/api/dashboard/apps/{appId}/regrouping/undo");
/** Unlink your account from an identity provider. */
export const unlinkOwnIdentity = /* @__PURE__ */ call<typeof dashboardProviders.unlinkOwnIdentity>("unlinkOwnIdentity", "DELETE", "/api/dashboard/profile/identities/{slug}");
/** Resolve, reopen or mute a problem. */
export const updateProblem = /* @__PURE__ */ call<typeof apiproblems.updateProblem>("updateProblem", "PATCH", "/api/v1/problems/{problemId}");
/** Update a ticket. */
export const updateTicket = /* @__PURE__ */ call<typeof tickets.updateTicket>("updateTicket", "PATCH", "/api/v1/tickets/{ticket}");
/** Upload source maps. */
export const uploadSourceMaps = /* @__PURE__ */ call<typeof sourcemaps.uploadSourceMaps>("uploadSourceMaps", "POST", "/api/v1/apps/{app}/source-maps");
/** Get a board with its tickets. */
export const viewBoard = /* @__PURE__ */ call<typeof dashboardBoards.viewBoard>("viewBoard", "GET", "/api/dashboard/boards/{boardId}", ["board.changed","projects.changed","labels.changed"]);
/** List problems and single reports of an app. */
export const viewInbox = /* @__PURE__ */ call<typeof dashboardInbox.viewInbox>("viewInbox", "GET", "/api/dashboard/apps/{appId}/inbox", ["inbox.changed","problem.changed"]);
/** List the pull requests to check and to open. */
export const watchPullRequests = /* @__PURE__ */ call<typeof runners.watchPullRequests>("watchPullRequests", "POST", "/api/v1/runner/pull-requests");
/** Comment on a ticket. */
export const writeComment = /* @__PURE__ */ call<typeof dashboardTickets.writeComment>("writeComment", "POST", "/api/dashboard/tickets/{ticketId}/comments");
