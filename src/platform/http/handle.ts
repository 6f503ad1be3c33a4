/** The stages of one request: key, scope, body, validation, handler, answer, one log line. */
import type { ActiveRequest } from './active-request.ts'
import { admit, checksOf, type RoutedParameters } from './admit.ts'
import type { HttpApp } from './app.ts'
import { asInvalidJson } from './body.ts'
import { answerCheck } from './declared-answers.ts'
import { finish, outcomeOf } from './finish.ts'
import type { RequestContext, Route } from './http.ts'
import type { BodyMemory } from './intake.ts'
import { PushReply } from './push.ts'
import { PushSink } from './push-sink.ts'
import { send, sendError } from './respond.ts'
import type { Violation } from './server.ts'
import { SocketStream } from './socket.ts'
import type { Sockets } from './sockets.ts'

export type Handler = (context: ActiveRequest, routed: RoutedParameters) => Promise<void>

export interface HandlerOptions {
  app: HttpApp
  route: Route
  intake: BodyMemory
  sockets: Sockets
  onViolation?: ((violation: Violation) => void) | undefined
}

export function handlerOf({ app, route, intake, sockets, onViolation }: HandlerOptions): Handler {
  const checks = checksOf(route)
  const check = onViolation && answerCheck(route, onViolation)

  return async (context, routed) => {
    context.response.on('close', () => finish(app, route, context, outcomeOf(context.response)))
    try {
      await admit(app, route, context, routed, checks, intake)
      if (route.socket) sockets.require(context)
      // `openServer` takes only routes whose handlers take its app, and `admit` has checked body, query, parameters and fields by the schemas.
      const result = await (route.handle as (context: RequestContext<HttpApp>) => unknown)(context)
      if (result instanceof PushReply) new PushSink({ app, route, context, check }, result).begin()
      else if (result instanceof SocketStream) await sockets.begin(result, { route, context })
      else await send(app, context, route, result, check)
    } catch (error) {
      await sendError(app, route, context, route.bodyToDisk ? asInvalidJson(error) : error, check)
    } finally {
      if (!context.sink) await context.releaseBody()
    }
  }
}
