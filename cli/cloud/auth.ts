/** `kherad cloud auth`: the address of an app, and who may sign up. */
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { card, type TableColumn } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { requestRecord } from '../server/records.ts'
import { plain } from '../server.ts'
import { namedCloud, pathOf } from './api.ts'
import { authOptions, authPhrases as words } from './auth-phrases.ts'

const changes = ['site-url', 'signup', 'redirect-url', 'anonymous']

export const authCommand: Command = {
  name: 'cloud auth',
  about: words.auth,
  takes: ['CLOUD'],
  options: [...changes, ...connection],
  repeatable: ['redirect-url'],
  needs: [],
  help: authOptions,
  run,
}

interface AuthSettings {
  site_url: string | null
  disable_signup: boolean
  additional_redirect_urls: string[]
  anonymous_sign_ins: boolean
  mail: 'configured' | 'not_configured'
  email_confirmation: boolean
}

async function run(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { signup, anonymous } = given.options
  if (signup !== undefined && signup !== 'open' && signup !== 'closed') refuseUsage(words.badSignup(signup))
  if (anonymous !== undefined && anonymous !== 'on' && anonymous !== 'off')
    refuseUsage(words.badAnonymous(anonymous))
  const { server, cloud } = await namedCloud(session, given)
  const path = pathOf(cloud, '/auth')
  const found = await requestRecord<AuthSettings>(server, 'GET', path)
  if (!changes.some((name) => given.options[name] !== undefined)) return settingsResult(session, found)
  const body = bodyOf(found, given)
  return settingsResult(session, await requestRecord<AuthSettings>(server, 'PATCH', path, { body }))
}

/** Both settings of the contract are sent with every change: one that is left out would fall back to its default. */
function bodyOf(found: AuthSettings, { options, lists }: ParsedArguments): object {
  const { signup, anonymous, 'site-url': siteUrl = found.site_url } = options
  return {
    site_url: siteUrl ?? refuseUsage(words.needsSiteUrl()),
    disable_signup: signup === undefined ? found.disable_signup : signup === 'closed',
    ...(anonymous !== undefined && { anonymous_sign_ins: anonymous === 'on' }),
    ...(lists['redirect-url'] && { additional_redirect_urls: lists['redirect-url'] }),
  }
}

const settingsResult = ({ language }: Session, settings: AuthSettings): CommandResult => {
  const rows: TableColumn<AuthSettings>[] = [
    { title: words.columns.siteUrl, show: ({ site_url: url }) => plain(url ?? '—') },
    {
      title: words.columns.signup,
      show: ({ disable_signup: isClosed }) => words.signup[isClosed ? 'closed' : 'open'][language],
    },
    {
      title: words.columns.redirects,
      show: ({ additional_redirect_urls: urls }) => plain(urls.join(' ') || '—'),
    },
    {
      title: words.columns.anonymous,
      show: ({ anonymous_sign_ins: isOn }) => words.anonymous[isOn ? 'on' : 'off'][language],
    },
    { title: words.columns.mail, show: ({ mail }) => words.mail[mail][language] },
  ]
  return { json: settings, text: card(settings, rows, language) }
}
