import { isDatabaseAway } from '#platform/db'
import { fail } from '#platform/errors'

/** Waits for a query. Throws SERVICE_UNAVAILABLE (503) while the database cannot be reached. */
export const orUnavailable = <Row>(reading: Promise<Row>): Promise<Row> =>
  reading.catch((error: unknown) => {
    if (isDatabaseAway(error))
      fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000, cause: error })
    throw error
  })
