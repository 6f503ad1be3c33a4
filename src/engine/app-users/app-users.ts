/** People who sign in to apps, and their sessions (docs/decisions/0076). */
import './phrases.ts'

export type { AccessToken } from './access-token.ts'
export { type OpenSession, refreshSession } from './sessions.ts'
export type { UserRow } from './store.ts'
export { type AppUsers, openAppUsers, verifyAccessToken } from './users.ts'
