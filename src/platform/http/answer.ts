import type { FastifyReply } from 'fastify'
import { errorBody, errorHeaders, type Failure, type Language } from '#platform/errors'

/** Sends the one error body with its headers. */
export function sendFailure(reply: FastifyReply, failure: Failure, language: Language): void {
  for (const [name, value] of Object.entries(errorHeaders(failure))) reply.header(name, value)
  reply
    .code(failure.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(failure, reply.request.id, language)))
}
