/** The people who sign in, their sessions, and the accounts of which they are members (docs/decisions/account/people.md). */
import './errors.ts'

export { openSessionKey, type Role, roles } from '#platform/auth'
export {
  beginLeaving,
  changePerson,
  deletePerson,
  endLeaving,
  isLastOperator,
  type LeavingPerson,
  leavingPeople,
  operators,
  type PersonChange,
  regretMs,
  setOperator,
  setPassword,
  tablesOfPerson,
} from './changes.ts'
export { type DroppedCredentials, dropCredentials, endClaimed } from './credentials.ts'
export { peopleHolding } from './holding.ts'
export { peopleLookup, rightsOf } from './lookup.ts'
export {
  endMembership,
  findMember,
  holdMembership,
  isClaimed,
  isLastOwner,
  listMembers,
  lockMembers,
  type Member,
  type MemberSetting,
  type Membership,
  type MembershipEntry,
  members,
  membership,
  memberships,
  membershipsPage,
  removeMember,
  setMember,
} from './members.ts'

export { requireOperator } from './operator.ts'

export { type KeyName, keyNames, type SessionPayer, sessionPayers } from './payers.ts'

export {
  createPerson,
  listPeople,
  lockPerson,
  type NewPerson,
  type Person,
  type PersonWithPassword,
  personByEmail,
  personById,
  provenAddresses,
} from './person.ts'
export { isRole, permissionsOf } from './rights.ts'
export {
  endSession,
  endSessionOf,
  endSessions,
  idleMs,
  type NewSession,
  type OpenedSession,
  openSession,
  rotateSession,
  type SessionEntry,
  sessionsOf,
  stepUp,
  stepUpAlone,
} from './sessions.ts'
export type {
  AddressRow,
  DeviceRow,
  MemberRow,
  PersonRow,
  SessionMethod,
  SessionRow,
} from './tables.ts'
export { hasProven, markUnproven, proveAddress } from './unproven.ts'
export { isLimitedPerson, namedProjects, type VisibleProjects, visibleProjects } from './visible-projects.ts'
