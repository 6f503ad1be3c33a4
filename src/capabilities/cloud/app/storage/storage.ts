/** `/storage/v1`: buckets need dedicated infrastructure. Every call gets that sentence, as storage clients read errors. */
import { errorBody, fail } from '#platform/errors'
import type { AppArea } from '../area.ts'
import '../phrases.ts'

/** What browsers fetch by themselves, without a header of their own. */
const linked = /^\/(?:object|render\/image)\/(?:public|sign)\//

export const storageArea: AppArea = {
  prefix: '/storage/v1',
  name: 'storage',
  isOpen: ({ method, path }) => (method === 'GET' || method === 'HEAD') && linked.test(path),
  async handle() {
    return fail('CLOUD_BUCKETS_UNAVAILABLE', {})
  },
  /** Clients of the field expect 400 whatever has happened, and the true status as `statusCode`. */
  refused(failure, { language, requestId }) {
    const { message, code } = errorBody(failure, requestId, language).error
    const isTheirs = failure.status < 500 && failure.status !== 429
    return {
      status: isTheirs ? 400 : failure.status,
      body: { statusCode: String(failure.status), error: code, message },
    }
  },
}
