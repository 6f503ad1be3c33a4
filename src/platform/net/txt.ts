/** TXT records of the public DNS, by which somebody proves that a domain is theirs. */
import { Resolver } from 'node:dns/promises'

export interface TxtOptions {
  /** Addresses of name servers, with a port where it is not 53; those of the system where there are none. */
  servers: readonly string[]
  /** Of one question to one server. */
  timeoutMs?: number
}

const defaultTimeoutMs = 2_500
const tries = 2
/** A name has few of them; whoever has thousands proves nothing by more. */
const maxRecords = 100
/** The name server knows the name, or knows that there is none. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** The records of a name, each as one text. Empty: there are none. Undefined: the name servers did not say. */
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
