/** The stages of one request: key, scope, body, validation, handler, answer, one log line. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#app'
import { ActiveRequest } from './active-request.ts'
import { admit, checksOf } from './admit.ts'
import { answerCheck } from './declared-answers.ts'
import { finish, outcomeOf, spanOf } from './finish.ts'
import type { RequestContext, Route } from './http.ts'
import type { Intake } from './intake.ts'
import { Pushed } from './push.ts'
import { PushSink } from './push-sink.ts'
import { send, sendError } from './respond.ts'
import type { Violation } from './server.ts'
import { SocketStream } from './socket.ts'
import type { Sockets } from './sockets.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

export interface HandlerOptions {
  app: App
  route: Route
  intake: Intake
  sockets: Sockets
  onViolation?: ((violation: Violation) => void) | undefined
}

export function handlerOf({ app, route, intake, sockets, onViolation }: HandlerOptions): Handler {
  const checks = checksOf(route)
  const check = onViolation && answerCheck(route, onViolation)

  return async (request, reply) => {
    const context = new ActiveRequest(app, request, reply, app.clock.nowMs(), spanOf(app, route, request))
    reply.raw.on('close', () => finish(app, route, context, outcomeOf(reply)))
    try {
      await admit(app, route, context, { request, reply }, checks, intake)
      if (route.socket) sockets.require(request, reply)
      const result = await (route.handle as (context: RequestContext) => unknown)(context)
      if (result instanceof Pushed) new PushSink({ app, route, context, reply, check }, result).begin()
      else if (result instanceof SocketStream) await sockets.begin(result, { route, context, request, reply })
      else await send(app, context, reply, route, result, check)
    } catch (error) {
      await sendError(app, route, context, reply, error, check)
    } finally {
      if (!context.sink) await context.releaseBody()
    }
    return reply
  }
}
