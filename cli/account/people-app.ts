/** What commands about people need of the app: the address of the server, the queue of letters, and the key that seals them. */
import path from 'node:path'
import type { InvitationsApp } from '#account/invitations'
import { type Person, personByEmail, personById } from '#account/people'
import { emailAddress } from '#account/sign-in'
import { type Config, readConfigFile } from '#platform/config'
import type { Db } from '#platform/db'
import { isUuid } from '#platform/ids'
import { jobs } from '#platform/jobs'
import { openLog } from '#platform/log'
import { openSecrets } from '#platform/secrets'
import { loadConfig } from '#settings'
import { refuse, refuseUsage, type Session } from '../command.ts'
import { peoplePhrases as words } from './people-phrases.ts'

/** Throws `StartRefused` for a configuration or a sealing key that the server would refuse too. */
export async function peopleApp({ env }: Session, db: Db): Promise<InvitationsApp & { config: Config }> {
  const config = loadConfig(env, readConfigFile(env))
  const file = path.join(config.dataDir, 'secret.key')
  const secrets = await openSecrets({ db, log: openLog('silent'), secret: config.secret, file })
  return { config, jobs, secrets }
}

/** An address as it is stored. */
export const readAddress = (typed: string): string =>
  emailAddress(typed) ?? refuseUsage(words.notAnAddress(typed))

/** The person with this id or address. */
export async function personOf(db: Db, typed: string): Promise<Person> {
  const email = emailAddress(typed)
  const found = isUuid(typed)
    ? await personById(db, typed.toLowerCase())
    : email && (await personByEmail(db, email))
  return found || refuse('PERSON_NOT_FOUND', words.noPerson(typed))
}
