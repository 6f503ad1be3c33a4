/** Requests that a busy machine did nothing of, sent again as clients do. */
import type { Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'

/** It waited too long for its turn, or was stopped after two seconds: in the words of clients of an app, and in those of the API. */
export const isNotDone = (text: string): boolean =>
  /"code":"(PGRST003|57014|ROWS_BUSY|ROWS_TIMEOUT)"/.test(text)

/** The same for a request of the tests' own client. */
export const untilDone = (send: () => Promise<Seen>): Promise<Seen> =>
  until(async () => {
    const reply = await send()
    return isNotDone(reply.text) ? undefined : reply
  })

/** For bodies that can be sent twice. An answer to HEAD does not say why: that to GET does, or it succeeds by now. */
export const sentAgain =
  (send: typeof fetch): typeof fetch =>
  (input, init) =>
    until(async () => {
      const reply = await send(input, init)
      if (reply.ok) return reply
      const said = init?.method === 'HEAD' ? await send(input, { ...init, method: 'GET' }) : reply.clone()
      return said.ok || isNotDone(await said.text()) ? undefined : reply
    })
