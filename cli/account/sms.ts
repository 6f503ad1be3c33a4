/** `kherad sms test`: one message through the gateway of the configuration file, without a server and a database. */
import { isPermitted, maskedNumber, phoneNumber } from '#account/phones'
import { readConfigFile } from '#platform/config'
import { openOutbound } from '#platform/proxy'
import { askGateway } from '#platform/sms'
import { loadConfig } from '#settings'
import { openNet } from '../../src/connect.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { smsPhrases as words } from './sms-phrases.ts'

/** It opens nothing. */
const sampleCode = '123456'

export const smsCommands: Command[] = [
  {
    name: 'sms test',
    about: words.test,
    takes: ['NUMBER'],
    options: [],
    flags: ['changed'],
    needs: [],
    help: { changed: { value: '', about: words.changed } },
    run: sendTest,
  },
]

async function sendTest(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { env, language, stopping } = session
  const typed = given.words[0] ?? ''
  const config = loadConfig(env, readConfigFile(env))
  const { sms } = config
  if (sms === undefined) return refuse('SMS_NOT_CONFIGURED', words.notConfigured)
  const to = phoneNumber(typed, sms.prefixes)
  if (to === undefined || !isPermitted(to, sms.prefixes)) return refuseUsage(words.noNumber(typed))
  const net = openNet(config, openOutbound(config))
  const message = { to, ...(given.flags.includes('changed') ? {} : { code: sampleCode }) }
  const { outcome, why } = await askGateway(sms, net, message, stopping)
  const told = why ? words.refused(why) : words.sent(maskedNumber(to))
  return {
    json: { outcome, message: told[language] },
    text: `${told[language]}\n`,
    failed: outcome !== 'sent',
  }
}
