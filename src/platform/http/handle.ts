/** The life of one request: key, scope, body, check, handler, answer, one log line. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#app'
import { admit, checksOf } from './admit.ts'
import { Asked } from './asked.ts'
import { finish, outcomeOf, spanOf } from './finish.ts'
import type { RequestContext, Route } from './http.ts'
import type { Intake } from './intake.ts'
import { send, sendTrouble } from './respond.ts'
import type { Violation } from './server.ts'
import { SocketStream } from './socket.ts'
import type { Sockets } from './sockets.ts'
import { watcher } from './watch.ts'

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
  const watch = onViolation && watcher(route, onViolation)

  return async (request, reply) => {
    const ask = new Asked(app, request, reply, app.clock.nowMs(), spanOf(app, route, request))
    reply.raw.on('close', () => finish(app, route, ask, outcomeOf(reply)))
    try {
      await admit(app, route, ask, { request, reply }, checks, intake)
      if (route.socket) sockets.require(request, reply)
      const result = await (route.handle as (context: RequestContext) => unknown)(ask)
      if (result instanceof SocketStream) await sockets.begin(result, { route, ask, request, reply })
      else await send(app, ask, reply, route, result, watch)
    } catch (error) {
      await sendTrouble(app, route, ask, reply, error, watch)
    } finally {
      await ask.letBodyGo()
    }
    return reply
  }
}
