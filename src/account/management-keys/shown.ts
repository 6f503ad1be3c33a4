import type { ManagementKey } from './schema.ts'
import type { ManagementKeyRow } from './store.ts'

/** What the maker sets; the audit log has it too. */
export const managementKeySettings = (row: ManagementKeyRow) => ({
  name: row.name,
  permissions: row.permissions,
  key_scopes: row.key_scopes,
  addresses: row.addresses,
  expires_at: row.expires_at.toISOString(),
})

export const shownManagementKey = (row: ManagementKeyRow, now: Date): ManagementKey => ({
  id: row.key_id,
  hint: row.hint,
  state: row.revoked_at ? 'revoked' : row.expires_at <= now ? 'expired' : 'active',
  ...managementKeySettings(row),
  made_by: { person_id: row.person_id, display_name: row.maker_name },
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  ended_with_maker: row.ended_with_maker,
  made_keys: row.made_keys,
  created_at: row.created_at.toISOString(),
})
