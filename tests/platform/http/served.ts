/** Routes that only tests have, on a listening server of their own beside a world's. */
import type { App } from '#app'
import { type HttpApp, openServer, type Route, routesOf, type Server, socketRoutesOf } from '#platform/http'
import { boot, type World, type WorldOptions } from '../../harness/world.ts'

export const route = routesOf<HttpApp>()
export const socketRoute = socketRoutesOf<HttpApp>()

export interface Served extends AsyncDisposable {
  world: World
  server: Server
  url: string
  /** What broke its declaration. */
  violations: string[]
}

interface ServeOptions extends WorldOptions {
  /** What the server has instead of the world's. */
  instead?: (app: App) => Partial<App>
}

export async function serve(
  routes: (world: World) => Route<HttpApp>[],
  { instead, ...ask }: ServeOptions = {},
): Promise<Served> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await boot(ask))
  const violations: string[] = []
  const server = stack.use(
    await openServer({
      app: { ...world.app, ...instead?.(world.app) },
      routes: routes(world),
      host: '127.0.0.1',
      port: 0,
      onViolation: ({ operation, what }) => violations.push(`${operation}: ${what}`),
    }),
  )
  const open = stack.move()
  return { world, server, url: server.url, violations, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The declaration of a route for everybody; a test adds what it is about. */
export const open = {
  scope: 'public',
  summary: { en: 'A route of a test.', fa: 'مسیری برای آزمون.' },
} as const
