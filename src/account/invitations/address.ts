import { personLink } from '#account/letters'
import type { InvitationsApp } from './app.ts'

/** The page that says what a link is for and asks before it acts. */
const linkPath = '/link'

/**
 * The address of the page of a link. Without KHERAD_BASE_URL a server that is called by the address of this machine alone is called `localhost`,
 * because browsers offer passkeys there and not at an IP address.
 */
export function linkAddress({ config }: Pick<InvitationsApp, 'config'>, token: string): string {
  const url = new URL(config.baseUrl)
  const isLocal = !config.baseUrlNamed && ['127.0.0.1', '[::1]'].includes(url.hostname)
  if (isLocal) url.hostname = 'localhost'
  return personLink({ config: { baseUrl: isLocal ? url.origin : config.baseUrl } }, linkPath, token)
}
