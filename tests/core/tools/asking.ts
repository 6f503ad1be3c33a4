import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AnswerState, openTools, type ToolContext } from '#core/tools'
import type { ToolName } from '#core/turn'
import { readEnv } from '#platform/config'
import { openLog } from '#platform/log'
import { type GuardedClient, openGuardedClient } from '#platform/net'
import { openSearch } from '#providers/search'
import { loadConfig } from '#settings'
import { whileHere } from '../../harness/while-here.ts'

export const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  accountId: 'somebody',
  signal: new AbortController().signal,
  nowMs: Date.parse('2026-11-20T12:00:00Z'),
  state: {} satisfies AnswerState,
  ...more,
})

/** The tools of a configuration file; its search connects to wherever it says, its fetch to nowhere unless a client is given. */
export function toolsOf(file: string, client: GuardedClient = openGuardedClient({ allowedCidrs: [] })) {
  const config = loadConfig(readEnv({}), file)
  const search = config.tools.webSearch && openSearch(config.tools.webSearch)
  const tools = openTools({ config, search, client, log: openLog('silent') })
  return {
    tools,
    use: (name: ToolName, input: unknown, more?: Partial<ToolContext>) =>
      tools.requireTool(name).run(input, context(more)),
    [Symbol.asyncDispose]: async () => search?.[Symbol.asyncDispose](),
  }
}

export interface Asked {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: unknown
}

/** A search engine on loopback: remembers what it was asked, and answers as told. */
export async function openEngine(answer: RequestListener) {
  const asked: Asked[] = []
  const server = createServer(
    whileHere(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const url = new URL(request.url!, 'http://engine.test')
      asked.push({
        method: request.method!,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: body === '' ? undefined : JSON.parse(body),
      })
      answer(request, response)
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const json =
  (value: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
