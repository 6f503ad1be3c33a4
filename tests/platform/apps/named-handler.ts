/** A handler of the second listener for these hosts, which answers with what it was asked. */
import type { AppsRequest, HostHandler, PathForm } from '#platform/apps'

export interface NamedHandler extends HostHandler {
  /** What it was asked, in order. */
  readonly requests: AppsRequest[]
  disposed: boolean
}

/** How a handler of strangers' code is found: by its hosts, and at `/_cloud/<ref>` for `<ref>.localhost`. */
export const strangersByPath = {
  isStrangers: true,
  pathForm: { prefix: '/_cloud', hostOf: (ref: string) => `${ref}.localhost` },
}

export function namedHandler(
  name: string,
  hosts: readonly string[],
  answer: (request: AppsRequest) => void = ({ message, response, host }) =>
    void response.setHeader('content-type', 'text/plain').end(`${name} ${host} ${message.url}`),
  { isStrangers = false, pathForm }: { isStrangers?: boolean; pathForm?: PathForm | undefined } = {},
): NamedHandler {
  const known = new Set(hosts)
  return {
    name,
    isStrangers,
    pathForm,
    requests: [],
    disposed: false,
    serves: (host) => known.has(host),
    mayHaveCertificate: (host) => known.has(host),
    handle(request) {
      this.requests.push(request)
      answer(request)
    },
    async [Symbol.asyncDispose]() {
      this.disposed = true
    },
  }
}
