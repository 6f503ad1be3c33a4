import type { Role } from '#platform/auth'

declare module '#platform/db' {
  interface Tables {
    'people.people': PersonRow
    'people.addresses': AddressRow
    'people.sessions': SessionRow
    'people.devices': DeviceRow
    'people.members': MemberRow
  }
}

export interface PersonRow {
  person_id: string
  display_name: string
  locale: 'fa' | 'en'
  time_zone: string
  /** It is in PHC form; null for those who sign in otherwise. */
  password_hash: string | null
  password_changed_at: Date | null
  is_operator: boolean
  operator_changed_at: Date | null
  created_at: Date
  deleted_at: Date | null
  /** When the person has asked to be deleted, and when it happens; null: not asked for. */
  deletion_requested_at: Date | null
  deletion_due_at: Date | null
}

export interface AddressRow {
  email: string
  person_id: string
  is_primary: boolean
  /** Null: it stands on an operator's word, and nobody has proven it. */
  proven_at: Date | null
  /** Until when a change away from this address may be undone; null for the primary one. */
  retires_at: Date | null
}

/** How a session was opened: the first factor. */
export type SessionMethod = 'password' | 'code' | 'sms' | 'passkey' | 'openid' | 'link'

export interface SessionRow {
  session_id: string
  person_id: string
  hash: Buffer
  method: SessionMethod
  stepped_up_at: Date | null
  user_agent: string | null
  opened_from: string | null
  created_at: Date
  last_used_at: Date
  expires_at: Date
  ended_at: Date | null
  /** The browser that opened it; null where that is not known. */
  device_hash: Buffer | null
  renewed_at: Date | null
  /** The token before the last renewal, and until when it is still taken. */
  former_hash: Buffer | null
  former_until: Date | null
}

export interface DeviceRow {
  person_id: string
  hash: Buffer
  first_used_at: Date
  last_used_at: Date
}

export interface MemberRow {
  account_id: string
  person_id: string
  role: Role
  /** The projects that the member may use; null: all. */
  project_ids: string[] | null
  /** The provider whose claims make this membership; null: it stands by itself. */
  provider_id: string | null
  joined_at: Date
  /** When role or projects last changed; null: before it was recorded. */
  changed_at: Date | null
}
