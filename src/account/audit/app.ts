import type { Clock } from '#platform/clock'
import type { RequestContext } from '#platform/http'

/** What is read of a request for its row. */
export type AuditContext = Pick<
  RequestContext<{ clock: Clock }>,
  'app' | 'caller' | 'headers' | 'operation' | 'requestId'
>

declare module '#platform/http' {
  interface RouteDeclarations {
    /**
     * A request that succeeds writes one row of the audit log, in the transaction of the change, by `auditRequest`. One that is refused or replayed
     * writes none. A function, where the body decides whether access, money or settings change; `if_changed`, where what the request finds decides
     * it, as with the steps of a sign-in: it writes one row or none, under whatever operation.
     */
    audited?: true | 'if_changed' | ((body: never) => boolean)
  }
}
