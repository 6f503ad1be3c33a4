import type { Config } from '#platform/config'
import { sha256 } from '#platform/secrets'

/**
 * An address of this server with a token in its fragment, which browsers send to nobody: the page hands it in by a POST, so that no program that
 * follows links uses it up. `path` begins with a slash.
 */
export const personLink = (
  { config }: { config: Pick<Config, 'baseUrl'> },
  path: string,
  token: string,
): string => `${config.baseUrl}${path}#${token}`

/** The hash under which the token of a link is stored. */
export function hashOfLink(link: string): Buffer {
  return sha256(link.slice(link.indexOf('#') + 1))
}
