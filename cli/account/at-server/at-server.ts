/** Commands that work on the database of this machine, and on a running server with a management key: which of the two is meant. */
import type { Command, ParsedArguments, Session } from '../../command.ts'
import { connection } from '../../server/phrases.ts'
import { type Server, serverOf } from '../../server.ts'

type Run = Command['run']
type RunAtServer = (server: Server, session: Session, given: ParsedArguments) => ReturnType<Run>

/** The secret of a management key begins so. */
const managementPrefix = 'khm_'

/** True where the words name a server or a key, and where the key of the environment is a management key, which no database knows what to do with. */
const isMeant = ({ env }: Session, { options }: ParsedArguments): boolean =>
  connection.some((name) => options[name] !== undefined) ||
  (env.clientKey?.trim().startsWith(managementPrefix) ?? false)

/** A command that works at a server where one is meant, and else on the database. */
export const alsoAtServer = (command: Command, run: RunAtServer): Command => ({
  ...command,
  options: [...command.options, ...connection],
  run: async (session, given) =>
    isMeant(session, given)
      ? run(await serverOf(session, given), session, given)
      : command.run(session, given),
})

/** A command that works at a server alone. */
export const atServer = (command: Omit<Command, 'run'>, run: RunAtServer): Command => ({
  ...command,
  options: [...command.options, ...connection],
  run: async (session, given) => run(await serverOf(session, given), session, given),
})

/** The header that names a project; none where none is named. */
export const inProject = (project: string | undefined): Record<string, string> =>
  project === undefined ? {} : { 'x-kherad-project': project }

/** A path with the parameters that have a value. */
export function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
