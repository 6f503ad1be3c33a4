/** `kherad cloud export|import`: writes an app back-end to a file, and reads one from a file. */
import { createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { connection } from '../server/phrases.ts'
import { requestRecord } from '../server/records.ts'
import { piecesOf, plain, request } from '../server.ts'
import { namedCloud, pathOf } from './api.ts'
import { cloudOptions, cloudPhrases as words } from './phrases.ts'

export const transferCommands: Command[] = [
  {
    name: 'cloud export',
    about: words.export,
    takes: ['CLOUD', 'FILE'],
    options: connection,
    needs: [],
    help: cloudOptions,
    run: exportOne,
  },
  {
    name: 'cloud import',
    about: words.import,
    takes: ['CLOUD', 'FILE'],
    options: connection,
    needs: [],
    help: cloudOptions,
    run: importOne,
  },
]

const maxExportBytes = 2 ** 40
const mebibyte = 1024 * 1024

/** Exports to a draft, which gets the name of the file once it is whole. */
async function exportOne(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const file = given.words[1]!
  const { server, cloud } = await namedCloud(session, given)
  const draft = `${file}.part`
  let bytes = 0
  const showProgress = (arrived: number) => {
    if (Math.floor(arrived / mebibyte) > Math.floor(bytes / mebibyte))
      session.status(words.arrived(Math.floor(arrived / mebibyte))[language])
    bytes = arrived
  }
  try {
    await request(server, 'GET', pathOf(cloud, '/export'), {}, (reply) =>
      pipeline(piecesOf(reply, maxExportBytes, showProgress), createWriteStream(draft, { mode: 0o600 })),
    )
    await rename(draft, file)
  } finally {
    session.status()
    await rm(draft, { force: true })
  }
  const text = words.exported(plain(cloud.name), plain(file))[language]
  return { json: { id: cloud.id, file, bytes }, text: `${text}\n` }
}

interface ImportResult {
  users: number
  collections: number
  rows: number
  files: number
  functions: number
}

async function importOne(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const file = given.words[1]!
  const { server, cloud } = await namedCloud(session, given)
  const form = new FormData()
  const bytes = await openAsBlob(file).catch(() => refuse('NO_FILE', words.noFile(plain(file))))
  form.set('export', bytes, 'export.jsonl')
  session.notify(words.importing[session.language])
  const imported = await requestRecord<ImportResult>(server, 'POST', pathOf(cloud, '/import'), { form })
  return { json: imported, text: `${words.imported(imported)[session.language]}\n` }
}
