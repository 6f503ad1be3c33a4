/** What sites need of the app back-ends that they are published for, which stand in a product above this one: whoever opens the app provides it. */
import type { Caller } from '#platform/auth'
import type { Tx } from '#platform/db'
import type { FailureCode } from '#platform/errors'

/** Finds the app back-ends that sites are published for. */
export interface LinkedClouds {
  /**
   * The app back-end of this id in the owner's project, which has to be ready. Throws the codes of `linkedCloudErrors`; the request names it by
   * `param`.
   */
  requireReady(
    owner: Pick<Caller, 'accountId' | 'projectId'>,
    cloudId: string,
    param: string,
  ): Promise<LinkedCloud>
}

/** An app back-end that was ready when it was found. */
export interface LinkedCloud {
  readonly cloudId: string
  /** Locks it until the transaction ends. Throws the codes of `linkedCloudErrors` where it is not ready any more. */
  lock(tx: Tx): Promise<void>
}

/** Codes that `LinkedClouds` and `LinkedCloud` raise, for routes. */
export const linkedCloudErrors: FailureCode[] = ['CLOUD_NOT_FOUND', 'CLOUD_SUSPENDED', 'CLOUD_NOT_READY']
