/** What the database knows of a session and of a project of its person, and the caller that both make. */
import type { Caller } from './auth.ts'
import { noPlan } from './key-ring.ts'
import type { Role } from './permissions.ts'

/** An open session with its person, as the database has it. All times are Unix milliseconds. */
export interface SessionRecord {
  sessionId: string
  personId: string
  locale: 'fa' | 'en'
  isOperator: boolean
  /** When a factor was last given; 0: never. */
  steppedUpAtMs: number
  lastUsedAtMs: number
  /** When the session ends however much it is used. */
  endsAtMs: number
  /** When the person is deleted, as they have asked; undefined: never. Until then they may take it back, and do nothing else. */
  leavesAtMs?: number | undefined
  /** Present where the rights of the person have changed since the token was made, or it is the one before a renewal, in its last seconds (`isDone`). */
  renewal?: { isDone: boolean; browserHash: Buffer | undefined } | undefined
}

/** A project that a person may use, with the person's role in its account. */
export interface Place {
  accountId: string
  projectId: string
  role: Role
  /** The scopes and permissions of the role. */
  rights: ReadonlySet<string>
  plan: string
  /** Also while an account is being deleted that was suspended before. */
  isSuspended: boolean
  /** The account is being deleted: its people only read. */
  isClosing: boolean
  keepDays: number | undefined
  /** The key by which the person pays in the project; undefined before the first call. */
  keyId: string | undefined
}

/** What a request does in a project. */
export interface UseOfPlace {
  needsPlan: boolean
  reads: boolean
  /** It is for people of an account that is being deleted. */
  whileClosing: boolean
}

/**
 * Why the account refuses the caller. Whoever may only look at an account, or has no plan yet, may still see and manage it. A suspended account stays so
 * while it is being deleted; what is for that time (`whileClosing`) works all the same.
 */
export function refusalOf(
  { isSuspended, isClosing, plan }: Place,
  { needsPlan, reads, whileClosing }: UseOfPlace,
): 'ACCOUNT_SUSPENDED' | 'ACCOUNT_CLOSING' | 'PLAN_REQUIRED' | undefined {
  const isForClosing = isClosing && whileClosing
  if (isSuspended && !isForClosing) return 'ACCOUNT_SUSPENDED'
  if (isClosing && !isForClosing && !reads) return 'ACCOUNT_CLOSING'
  return needsPlan && plan === noPlan ? 'PLAN_REQUIRED' : undefined
}

export const callerAt = (session: SessionRecord, place: Place): Caller => ({
  ...callerOfPerson(session, place.role),
  accountId: place.accountId,
  projectId: place.projectId,
  keyId: place.keyId ?? '',
  plan: place.plan,
  scopes: place.rights,
  keepDays: place.keepDays,
})

/** The caller of a session on routes that are of a person and of no project: without account and rights. */
export const callerOfPerson = (session: SessionRecord, role?: Role): Caller => ({
  kind: 'session',
  accountId: '',
  projectId: '',
  keyId: '',
  plan: '',
  scopes: new Set(),
  models: undefined,
  sessionId: session.sessionId,
  person: {
    personId: session.personId,
    sessionId: session.sessionId,
    role,
    locale: session.locale,
    isOperator: session.isOperator,
    steppedUpAtMs: session.steppedUpAtMs,
  },
})
