/** Requests that a busy machine did nothing of, sent again as clients do. */
import { until } from '../harness/until.ts'

/** It waited too long for its turn, or was stopped after two seconds: in the words of clients of an app, and in those of the API. */
export const isNotDone = (text: string): boolean =>
  /"code":"(PGRST003|57014|ROWS_BUSY|ROWS_TIMEOUT)"/.test(text)

/** For bodies that can be sent twice. An answer to HEAD does not say why, so that any failure of the server is taken for it. */
export const sentAgain =
  (send: typeof fetch): typeof fetch =>
  (input, init) =>
    until(async () => {
      const reply = await send(input, init)
      const isHead = init?.method === 'HEAD'
      const again = isHead ? reply.status >= 500 : !reply.ok && isNotDone(await reply.clone().text())
      return again ? undefined : reply
    })
