/** What can be written to people, and what each kind of letter is made of. */

/** A code of six digits and the minutes for which it is valid. */
interface CodeData {
  code: string
  minutes: number
}

/** What a threshold belongs to: the whole account, one project, one key, or what one member may spend in a project. */
export interface ThresholdOf {
  scope: 'account' | 'project' | 'key' | 'member'
  /** Whether the cap is that of a month. */
  period: 'total' | 'month'
  /** The name of the project, key or member; that of the account is a member of its own. */
  name: string
}

/** The data of each kind of letter. Names come from people and may be hostile; codes and links are the platform's own. Amounts are whole credits. */
export interface LetterKinds {
  sign_in_code: CodeData
  sign_up_code: CodeData
  /** Somebody wanted to sign up with the address of a person who is known. */
  sign_up_exists: Record<never, never>
  email_change_code: CodeData
  /** It goes to the old address. */
  email_changed: { newEmailMasked: string; undoLink: string; days: number }
  /** A change was undone: the address before is back, and later ones, which hear of it too, are dropped. */
  email_restored: { at: Date }
  /** To somebody who has forgotten the password. */
  password_reset: { link: string; minutes: number }
  password_changed: { at: Date }
  /** `taken`: somebody else has proven the number. */
  phone_changed: { numberMasked: string; change: 'added' | 'changed' | 'removed' | 'taken'; at: Date }
  factor_added: { factor: FactorName; at: Date }
  factor_removed: { factor: FactorName; at: Date }
  /** All second factors are removed at `dueAt`, unless somebody follows the link. */
  factor_reset_requested: { dueAt: Date; cancelLink: string }
  /** A passkey was refused, because its counter shows that somebody has copied it. */
  passkey_copied: { passkey: string; at: Date }
  identity_linked: { provider: string; at: Date }
  identity_unlinked: { provider: string; at: Date }
  /** `device` is the browser as the person would call it, or its user agent; `from` the address of the network. */
  new_device: { device: string; at: Date; from: string }
  invitation: { account: string; inviter: string; role: RoleName; link: string; days: number }
  operator_added: { email: string; at: Date }
  /** `name` is that of the person; `by` says whether the command line took the rights away, or the person deleted themselves. */
  operator_removed: { name: string; by: 'command' | 'self'; at: Date }
  password_reset_by_operator: { at: Date }
  threshold_reached: { account: string; of?: ThresholdOf; percent: number; spent: bigint; cap: bigint }
  balance_low: { account: string; balance: bigint }
  /** To operators: the text messages of a day are spent. */
  sms_spent: { messages: number; at: Date }
  key_ending: { key: string; project: string; endsAt: Date }
  management_key_ending: { key: string; account: string; endsAt: Date }
  /** To the owners, and to the maker, whose name is `by`. */
  management_key_made: { key: string; account: string; by: string; endsAt: Date; at: Date }
  /** To the maker, with whose right it ended. */
  management_key_ended: { key: string; account: string; at: Date }
  removed_from_account: { account: string }
  /** The ZIP is ready on the page until `endsAt`. */
  export_ready: { page: string; endsAt: Date }
  export_failed: { page: string; at: Date }
  /** The person has asked to be deleted, with these accounts; `page` is where they sign in to take it back. */
  person_leaving: { accounts: string[]; endsAt: Date; page: string }
  person_kept: { at: Date }
  person_deleted: { at: Date }
  /** `by` is the name of the owner who has asked; null: the operator. */
  account_closing: { account: string; by: string | null; endsAt: Date; page: string }
  account_kept: { account: string; by: string | null; at: Date }
  account_deleted: { account: string; at: Date }
}

export type LetterKind = keyof LetterKinds

export type FactorName = 'totp' | 'passkey' | 'recovery_code'
/** A role in an account, or the operator. */
export type RoleName = 'owner' | 'admin' | 'developer' | 'billing' | 'viewer' | 'operator'

export type LetterLocale = 'fa' | 'en'

/** A kind with its data. */
export type TypedLetter = { [Kind in LetterKind]: { kind: Kind; data: LetterKinds[Kind] } }[LetterKind]

/** A letter to one address. */
export type NewLetter = TypedLetter & {
  /** An address that `emailAddress` has accepted. */
  to: string
  /** The person to whom the address belongs; times are then written in their time zone. */
  personId?: string | undefined
  locale: LetterLocale
  /** When its code or link ends. Default: as the data says by `minutes`, `days` or `dueAt`. A letter that is late is not sent. */
  expiresAt?: Date | undefined
  /**
   * Whether it was asked for in a session or a browser of the person, or by whoever has an invitation to the address: letters are kept for these, so
   * that strangers cannot use all of them up.
   */
  isOwn?: boolean | undefined
  /** Whether it was asked for in a network in which the person has signed in before, for which letters are kept too. */
  isNear?: boolean | undefined
}

/** How many letters of some kinds go to an address in an hour. */
export interface LetterBudget {
  kinds: readonly LetterKind[]
  max: number
  /** How many of them are kept for sessions and browsers of the person. */
  own: number
  /** How many more are kept for these and for networks of the person. */
  near: number
}

/**
 * Kinds that a stranger can cause for any address are counted for each address, each purpose apart: sign-ups and invitations keep nobody from signing
 * in, and an inviter sees nothing of codes. All other kinds tell of a change.
 */
const budgets: readonly LetterBudget[] = [
  { kinds: ['sign_in_code', 'password_reset'], max: 7, own: 2, near: 2 },
  { kinds: ['sign_up_code', 'sign_up_exists'], max: 7, own: 2, near: 0 },
  { kinds: ['email_change_code'], max: 5, own: 0, near: 0 },
  { kinds: ['invitation'], max: 5, own: 0, near: 0 },
]

/** The budget of a kind; undefined for one that is not counted. */
export const budgetOf = (kind: LetterKind): LetterBudget | undefined =>
  budgets.find(({ kinds }) => kinds.includes(kind))

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** When the code or link of a letter ends, as its data says; undefined for a letter without one. */
export function endOf({ data }: TypedLetter, now: Date): Date | undefined {
  const after = (ms: number): Date => new Date(now.getTime() + ms)
  if ('minutes' in data) return after(data.minutes * minuteMs)
  if ('days' in data) return after(data.days * dayMs)
  return 'dueAt' in data ? data.dueAt : undefined
}
