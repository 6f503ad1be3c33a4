/** What a caller gets for an order, whichever way its route answers. */
export interface Answer {
  /** 0 for a line that is cut, and for events that end in an error. */
  status: number
  code?: string
  /** That a refusal names. */
  files?: string[]
  headers?: Headers
  /** Where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  body?: any
}

export async function answerOf(asked: Promise<Response>): Promise<Answer> {
  try {
    const response = await asked
    const text = await response.text()
    const { status, headers } = response
    const type = headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) {
      const last = JSON.parse(text.match(/(?<=^data: ).*/gm)!.at(-1)!)
      return { status: last.error ? 0 : status, code: last.error?.code, headers }
    }
    if (!type.startsWith('application/json')) return { status, headers }
    const body = JSON.parse(text)
    const error = status >= 400 ? body.error : undefined
    return { status, code: error?.code, files: error?.details?.files, headers, body }
  } catch {
    return { status: 0 }
  }
}
