/** `/storage/v1`: buckets of dedicated clouds, for common storage clients. A Starter cloud has none, and refuses every call. */
import { fail } from '#platform/errors'
import type { AppArea, AppCall, AppReply } from '../area.ts'
import { createBucket, deleteBucket, emptyBucket, listBuckets, showBucket, updateBucket } from './buckets.ts'
import { copyObject, moveObject, removeObject, removeObjects } from './change.ts'
import { signLink, signLinks, signUpload } from './links.ts'
import { listFolder, listKeys } from './list.ts'
import { readBySession, readLinked, readPublic, showObject } from './read.ts'
import { storageFailureReply } from './refused.ts'
import { renderBySession, renderLinked, renderPublic } from './render.ts'
import {
  cancelUpload,
  continueUpload,
  createUpload,
  createUploadByLink,
  describeUploads,
  showProgress,
} from './resumable.ts'
import { replaceObject, storeLinked, storeObject } from './store.ts'
import '../phrases.ts'

/** Paths that browsers fetch by themselves, without a header of the app, and paths that a link opens. */
const linked = /^\/(?:object|render\/image)\/(?:public|sign)\//
const linkedUpload = /^\/object\/upload\/sign\//
const resumable = /^\/upload\/resumable(?:\/sign)?(?:\/|$)/

type StorageHandler = (call: AppCall, rest: string) => Promise<AppReply> | AppReply

interface StorageRoute {
  methods: string
  /** The text of its group is `rest`. */
  path: RegExp
  handle: StorageHandler
  /** A POST that changes nothing. */
  reads?: boolean
}

const notOffered = (what: 'vectors' | 'analytics' | 'lifecycle'): StorageHandler => {
  return () => fail('BUCKETS_NOT_OFFERED', { what })
}
const any = 'GET HEAD POST PUT PATCH DELETE'
const read = 'GET HEAD'

/** The first route that fits is used. */
const routes: readonly StorageRoute[] = [
  { methods: any, path: /^\/vector(\/.*)?$/, handle: notOffered('vectors') },
  { methods: any, path: /^\/iceberg(\/.*)?$/, handle: notOffered('analytics') },
  { methods: any, path: /^\/bucket\/([^/]+)\/lifecycle$/, handle: notOffered('lifecycle') },
  { methods: read, path: /^\/bucket\/?()$/, handle: listBuckets },
  { methods: 'POST', path: /^\/bucket\/?()$/, handle: createBucket },
  { methods: read, path: /^\/bucket\/([^/]+)$/, handle: showBucket },
  { methods: 'PUT', path: /^\/bucket\/([^/]+)$/, handle: updateBucket },
  { methods: 'DELETE', path: /^\/bucket\/([^/]+)$/, handle: deleteBucket },
  { methods: 'POST', path: /^\/bucket\/([^/]+)\/empty$/, handle: emptyBucket },
  { methods: 'OPTIONS', path: /^\/upload\/resumable(?:\/sign)?(\/.*)?$/, handle: describeUploads },
  { methods: 'POST', path: /^\/upload\/resumable\/?()$/, handle: createUpload },
  { methods: 'POST', path: /^\/upload\/resumable\/sign\/?()$/, handle: createUploadByLink },
  { methods: 'HEAD', path: /^\/upload\/resumable\/(?:sign\/)?([^/]+)$/, handle: showProgress },
  { methods: 'PATCH', path: /^\/upload\/resumable\/(?:sign\/)?([^/]+)$/, handle: continueUpload },
  { methods: 'DELETE', path: /^\/upload\/resumable\/(?:sign\/)?([^/]+)$/, handle: cancelUpload },
  // There is no cache in between that could be emptied.
  { methods: 'DELETE', path: /^\/cdn\/(.+)$/, handle: () => ({ status: 200, body: { message: 'success' } }) },
  { methods: 'POST', path: /^\/object\/list\/([^/]+)$/, handle: listFolder, reads: true },
  { methods: 'POST', path: /^\/object\/list-v2\/([^/]+)$/, handle: listKeys, reads: true },
  { methods: 'POST', path: /^\/object\/move()$/, handle: moveObject },
  { methods: 'POST', path: /^\/object\/copy()$/, handle: copyObject },
  { methods: 'POST', path: /^\/object\/sign\/([^/]+)$/, handle: signLinks, reads: true },
  { methods: 'POST', path: /^\/object\/sign\/(.+)$/, handle: signLink, reads: true },
  { methods: 'POST', path: /^\/object\/upload\/sign\/(.+)$/, handle: signUpload },
  { methods: 'PUT', path: /^\/object\/upload\/sign\/(.+)$/, handle: storeLinked },
  { methods: read, path: /^\/object\/public\/(.+)$/, handle: readPublic },
  { methods: read, path: /^\/object\/sign\/(.+)$/, handle: readLinked },
  { methods: read, path: /^\/object\/info\/(?:public\/|authenticated\/)?(.+)$/, handle: showObject },
  { methods: read, path: /^\/object\/(?:authenticated\/)?(.+)$/, handle: readBySession },
  { methods: read, path: /^\/render\/image\/public\/(.+)$/, handle: renderPublic },
  { methods: read, path: /^\/render\/image\/sign\/(.+)$/, handle: renderLinked },
  { methods: read, path: /^\/render\/image\/authenticated\/(.+)$/, handle: renderBySession },
  { methods: 'DELETE', path: /^\/object\/([^/]+)$/, handle: removeObjects },
  { methods: 'DELETE', path: /^\/object\/(.+)$/, handle: removeObject },
  { methods: 'POST', path: /^\/object\/(.+)$/, handle: storeObject },
  { methods: 'PUT', path: /^\/object\/(.+)$/, handle: replaceObject },
]

const isReading = ({ reads = false }: StorageRoute, method: string): boolean =>
  reads || ['GET', 'HEAD', 'OPTIONS'].includes(method)

export const storageArea: AppArea = {
  prefix: '/storage/v1',
  name: 'storage',
  // Clients of uploads in parts are told to send the session alone.
  isBearerEnough: true,
  isOpen: ({ method, path }) =>
    method === 'OPTIONS'
      ? resumable.test(path)
      : method === 'PUT'
        ? linkedUpload.test(path)
        : (method === 'GET' || method === 'HEAD') && linked.test(path),
  async handle(call) {
    const { method, path, cloud } = call
    if (cloud.plan === 'starter') fail('CLOUD_BUCKETS_UNAVAILABLE', {})
    const fitting = routes.filter((route) => route.path.test(path))
    const route = fitting.find(({ methods }) => methods.split(' ').includes(method))
    if (route) {
      if (cloud.readOnlyWhy !== null && !isReading(route, method))
        fail('CLOUD_READ_ONLY', { why: cloud.readOnlyWhy })
      return route.handle(call, route.path.exec(path)![1] ?? '')
    }
    if (fitting.length === 0) fail('CLOUD_PATH_NOT_FOUND', { path: `/storage/v1${path}`.slice(0, 200) })
    const allowed = [...new Set(fitting.flatMap(({ methods }) => methods.split(' ')))]
    return fail('METHOD_NOT_ALLOWED', { method, allowed })
  },
  failureReply: storageFailureReply,
}
