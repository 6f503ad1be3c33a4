/** `kherad cloud secrets …`: values that functions read and nobody is shown. */
import type { Language } from '#platform/errors'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { readBounded, readStream, utf8 } from '../read-bounded.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain } from '../server.ts'
import { namedCloud, pathOf } from './api.ts'
import { functionOptions, functionPhrases as words } from './function-phrases.ts'

const common = { options: connection, needs: [], help: functionOptions }

export const secretCommands: Command[] = [
  {
    ...common,
    name: 'cloud secrets set',
    about: words.setSecret,
    takes: ['CLOUD', 'NAME'],
    options: ['from', ...connection],
    run: set,
  },
  { ...common, name: 'cloud secrets list', about: words.listSecrets, takes: ['CLOUD'], run: list },
  {
    ...common,
    name: 'cloud secrets delete',
    about: words.deleteSecret,
    takes: ['CLOUD', 'NAME'],
    run: remove,
  },
]

interface FunctionSecret {
  name: string
  updated_at: string
}

/** The size of 10,000 characters of any kind, and of an end of line. */
const maxValueBytes = 4 * 10_000 + 2

/** Sets a secret. The value comes from a file or from standard input: words of a command are seen by others of this machine, and kept by shells. */
async function set(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { from } = given.options
  if (from === undefined && process.stdin.isTTY) session.notify(words.typeValue[session.language])
  const bytes =
    from === undefined
      ? await readStream(process.stdin, maxValueBytes, words.valueTooLong())
      : await readBounded(from, maxValueBytes, words.valueTooLong())
  // Editors and `echo` end a text with a line break that is not part of the secret.
  const value = (utf8(bytes) ?? refuseUsage(words.notText(from ?? '-'))).replace(/\r?\n$/, '')
  const name = given.words[1]!
  const { server, cloud } = await namedCloud(session, given)
  const made = await requestRecord<FunctionSecret>(
    server,
    'POST',
    pathOf(cloud, '/secrets'),
    idempotentBody({ name, value }),
  )
  return { json: made, text: `${words.secretSet(plain(made.name))[session.language]}\n` }
}

const columns = (language: Language): TableColumn<FunctionSecret>[] => [
  { title: words.columns.name, show: ({ name }) => plain(name) },
  { title: words.columns.updated, show: ({ updated_at: at }) => showTime(new Date(at), language) },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const { data } = await requestRecord<{ data: FunctionSecret[] }>(server, 'GET', pathOf(cloud, '/secrets'))
  return { json: data, text: table(data, columns(session.language), session.language) }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { server, cloud } = await namedCloud(session, given)
  const at = pathOf(cloud, `/secrets/${encodeURIComponent(given.words[1]!)}`)
  const gone = await requestRecord<{ name: string }>(server, 'DELETE', at)
  return { json: gone, text: `${words.gone(plain(gone.name))[session.language]}\n` }
}
