/** `/realtime/v1`: not offered. A WebSocket is refused before it opens, which clients report as CHANNEL_ERROR at once. */
import { errorBody, fail } from '#platform/errors'
import type { AppArea } from '../area.ts'
import '../phrases.ts'

export const realtimeArea: AppArea = {
  prefix: '/realtime/v1',
  name: 'realtime',
  async handle() {
    return fail('CLOUD_REALTIME_UNAVAILABLE', {})
  },
  refused(failure, { language, requestId }) {
    const { message, code } = errorBody(failure, requestId, language).error
    return { status: failure.status, body: { code, message } }
  },
}
