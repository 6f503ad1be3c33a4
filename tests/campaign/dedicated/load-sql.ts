import type pg from 'pg'

/** Loads SQL with rows for `copy … from stdin`, as psql does. */
export async function loadSql(client: pg.Client, sql: string): Promise<void> {
  let rest = sql
  for (;;) {
    const copy = /^copy .+ from stdin;\n/m.exec(rest)
    if (!copy) break
    await run(client, rest.slice(0, copy.index))
    const from = copy.index + copy[0].length
    const end = rest.startsWith('\\.\n', from) ? from : rest.indexOf('\n\\.\n', from) + 1
    await copyIn(client, copy[0], rest.slice(from, end))
    rest = rest.slice(end + '\\.\n'.length)
  }
  await run(client, rest)
}

const run = (client: pg.Client, text: string) =>
  client.query(text).catch((error: Error & { position?: string }) => {
    const at = Number(error.position ?? 1)
    throw new Error(`${error.message} at: ${text.slice(Math.max(0, at - 100), at + 100)}`)
  })

interface Connection {
  query(text: string): void
  sendCopyFromChunk(bytes: Buffer): void
  endCopyFrom(): void
}

const copyIn = (client: pg.Client, text: string, rows: string): Promise<void> =>
  new Promise((resolve, reject) => {
    client.query({
      submit: (connection: unknown) => (connection as Connection).query(text),
      handleCopyInResponse(connection: Connection) {
        connection.sendCopyFromChunk(Buffer.from(rows))
        connection.endCopyFrom()
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(),
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete() {},
      handleEmptyQuery() {},
    } as pg.Submittable)
  })
