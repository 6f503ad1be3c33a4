/** Reads TXT records of the public DNS, by which somebody proves the ownership of a domain. */
import { Resolver } from 'node:dns/promises'

export interface TxtOptions {
  /** Addresses of name servers, with a port if it is not 53; if empty, the system's servers are used. */
  servers: readonly string[]
  /** The timeout of one query to one server. */
  timeoutMs?: number
}

const defaultTimeoutMs = 2_500
const tries = 2
/** The maximum of records that are read: a name has few, and thousands of them prove nothing more. */
const maxRecords = 100
/** Error codes when the name does not exist or has no TXT records. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** The records of a name, each as one text. Empty if there are none. Undefined if the name servers did not answer. */
export async function txtRecords(
  name: string,
  { servers, timeoutMs = defaultTimeoutMs }: TxtOptions,
): Promise<readonly string[] | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers.length > 0) resolver.setServers([...servers])
  try {
    const records = await resolver.resolveTxt(name)
    return records.slice(0, maxRecords).map((parts) => parts.join(''))
  } catch (error) {
    return absent.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
  }
}
