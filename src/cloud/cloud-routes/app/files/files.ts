/** `/files`: private files of app users (contract section 4). */
import { errorBody, fail } from '#platform/errors'
import type { AppArea, AppCall, AppReply } from '../area.ts'
import { listFiles } from './list.ts'
import { readFile } from './read.ts'
import { removeFile } from './remove.ts'
import { storeFile } from './store.ts'
import '../phrases.ts'

type FileHandler = (call: AppCall, fileId: string) => Promise<AppReply>

/** HEAD is answered as GET, without a body. */
const listHandlers: Record<string, FileHandler> = { GET: listFiles, HEAD: listFiles, POST: storeFile }
const fileHandlers: Record<string, FileHandler> = { GET: readFile, HEAD: readFile, DELETE: removeFile }

export const filesArea: AppArea = {
  prefix: '/files',
  name: 'files',
  async handle(call) {
    const { method, path } = call
    const [, fileId = '', more] = path.split('/', 3)
    if (more !== undefined) fail('CLOUD_PATH_NOT_FOUND', { path: `/files${path}`.slice(0, 200) })
    const handlers = fileId === '' ? listHandlers : fileHandlers
    const handle = handlers[method]
    if (!handle) fail('METHOD_NOT_ALLOWED', { method, allowed: Object.keys(handlers) })
    return handle(call, fileId)
  },
  failureReply: (failure, { language, requestId }) => ({
    status: failure.status,
    body: errorBody(failure, requestId, language),
  }),
}
