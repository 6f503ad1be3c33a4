/** Checks which installation the data folder is, as its next start would find it, without changing anything. */
import type { Config } from '#platform/config'
import { examineFolder } from '#platform/installation'
import { installationPhrases as words } from '../installation/phrases.ts'
import { type DoctorCheck, ok, runCheck, warned } from './check.ts'

export const checkInstallation = ({ dataDir, databaseUrl }: Config): Promise<DoctorCheck> =>
  runCheck('installation', async () => {
    const { kind, id, place } = await examineFolder(dataDir)
    if (kind === 'new') return ok('installation', words.folderNew())
    if (kind === 'copy' && databaseUrl === undefined) return warned('installation', words.folderCopy(place))
    return ok('installation', kind === 'moved' ? words.folderMoved(place) : words.folderOwn(id))
  })
