/** How people come in: the first operator's link, invitations into accounts, and the links that an operator hands over. */
import './errors.ts'

export { type AcceptedInvitation, type AcceptingRequest, acceptMembership } from './accept.ts'
export { linkAddress as invitationLink } from './address.ts'
export type { FirstPersonApp, InvitationsApp } from './app.ts'
export {
  type AddedOperator,
  addOperator,
  notifyOperatorRemoved,
  offerFirstLink,
  renewFirstLink,
} from './first-person.ts'
export { type Grant, reaches } from './grants.ts'
export {
  type Delivery,
  invite,
  inviteAgain,
  maxDailyInvitations,
  type NewInvitation,
  type SentInvitation,
} from './invite.ts'
export {
  acceptInvitation,
  describeLink,
  findInvitation,
  type LinkDescription,
  type LinkNeed,
  type LinkOutcome,
  type Redemption,
  redeemLink,
} from './redeem.ts'
export { resetPerson } from './reset.ts'
export {
  areProjectsOf,
  hasMember,
  type InvitationRow,
  listInvitations,
  lockInvitation,
  type NamedInvitation,
  openGrantsTo,
  setInvitation,
} from './store.ts'
