/** For servers of tests whose listeners wait: a client that leaves midway ends its own request, and not the run of the tests. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export const whileHere =
  (answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: NodeJS.ErrnoException) => {
      // Anything else is a defect of the test, and stays unhandled.
      if (error.code !== 'ECONNRESET') throw error
    })
  }
