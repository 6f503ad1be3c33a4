/** Signing in with providers of OpenID Connect, and the memberships that their claims make (docs/decisions/account/openid.md). */

import { routes } from './routes.ts'
import { openIdTidyJob } from './tidy.ts'

export type { OpenIdApp } from './app.ts'
export { OpenIdProviders } from './providers.ts'
export { requireWayIn } from './ways-in.ts'

export const openId = { name: 'openid', routes, jobs: [openIdTidyJob] }
