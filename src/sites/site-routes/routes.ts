import type { Config } from '#platform/config'
import type { Route } from '#platform/http'
import { checkErrors, publicationBytes } from '#sites/hosting'
import { route, type SitesApp } from './app.ts'
import { removeSite, removeSiteOfCloud, rollBackSite } from './change.ts'
import { linkedCloudErrors } from './linked-clouds.ts'
import { publishSite, publishVersion } from './publish.ts'
import { listAll, listFiles, readSite, readSiteOfCloud } from './read.ts'
import {
  CloudSiteParams,
  DeleteBody,
  DeletedSite,
  FilesQuery,
  RollbackBody,
  Site,
  SiteBody,
  SiteDetail,
  SiteFileList,
  SiteList,
  SiteListQuery,
  SiteParams,
} from './schema.ts'

const path = '/v1/sites'
/** The bound of a body comes from the limits for all sites: those that the operator has set for one site alone are known once its body has come. */
const ofBody = { bodyToDisk: true, bodyLimit: ({ sites }: Config) => publicationBytes(sites) } as const

const published: Route<SitesApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'sites.list',
    scope: 'cloud:read',
    summary: { en: 'The sites of the project, newest first.', fa: 'سایت‌های پروژه، تازه‌ترین نخست.' },
    query: SiteListQuery,
    reply: { 200: SiteList },
    errors: [],
    handle: listAll,
  }),
  route({
    method: 'POST',
    path,
    operation: 'sites.publish',
    writes: ['files'],
    scope: 'cloud:hosting',
    audited: true,
    summary: { en: 'Publish a website for everybody.', fa: 'انتشار وب‌سایتی برای همه.' },
    idempotent: true,
    ...ofBody,
    body: SiteBody,
    reply: { 202: Site },
    errors: [...checkErrors, ...linkedCloudErrors, 'SITE_LIMIT', 'SITE_PUBLISHING_LIMIT', 'SLUG_TAKEN'],
    handle: publishSite,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'sites.read',
    scope: 'cloud:read',
    summary: {
      en: 'A site, its versions and what visitors took today.',
      fa: 'یک سایت، نسخه‌هایش و مصرف امروز بازدیدکنندگان.',
    },
    params: SiteParams,
    reply: { 200: SiteDetail },
    errors: ['SITE_NOT_FOUND'],
    handle: readSite,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}`,
    operation: 'sites.publish_version',
    writes: ['files'],
    scope: 'cloud:hosting',
    audited: true,
    summary: { en: 'Publish a new version of a site.', fa: 'انتشار نسخهٔ تازهٔ یک سایت.' },
    idempotent: true,
    ...ofBody,
    params: SiteParams,
    body: SiteBody,
    reply: { 202: Site },
    errors: [
      ...checkErrors,
      'SITE_NOT_FOUND',
      'SITE_TAKEN_DOWN',
      'SITE_PUBLISHING_LIMIT',
      'SITE_CONTENT_GONE',
    ],
    handle: publishVersion,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}/files`,
    operation: 'sites.files',
    scope: 'cloud:read',
    summary: { en: 'The files of a version, by path.', fa: 'فایل‌های یک نسخه، به ترتیب مسیر.' },
    params: SiteParams,
    query: FilesQuery,
    reply: { 200: SiteFileList },
    errors: ['SITE_NOT_FOUND', 'SITE_VERSION_NOT_FOUND'],
    handle: listFiles,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/rollback`,
    operation: 'sites.rollback',
    scope: 'cloud:hosting',
    audited: true,
    summary: { en: 'Go back to an earlier version at once.', fa: 'بازگشت فوری به نسخه‌ای پیشین.' },
    idempotent: true,
    params: SiteParams,
    body: RollbackBody,
    bodyMayBeAbsent: true,
    reply: { 200: Site },
    errors: [
      'SITE_NOT_FOUND',
      'SITE_TAKEN_DOWN',
      'SITE_VERSION_NOT_FOUND',
      'SITE_VERSION_NOT_READY',
      'SITE_VERSION_LIVE',
      'SITE_NOTHING_BEFORE',
    ],
    handle: rollBackSite,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'sites.delete',
    scope: 'cloud:hosting',
    stepUp: true,
    audited: true,
    summary: { en: 'Delete a site with all its versions.', fa: 'حذف سایت با همهٔ نسخه‌هایش.' },
    params: SiteParams,
    body: DeleteBody,
    reply: { 200: DeletedSite },
    errors: ['SITE_NOT_FOUND', 'SITE_OF_CLOUD'],
    handle: removeSite,
  }),
]

const ofClouds: Route<SitesApp>[] = [
  route({
    method: 'GET',
    path: '/v1/cloud/{id}/sites/{siteId}',
    operation: 'sites.read_of_cloud',
    scope: 'cloud:read',
    summary: { en: 'A site of an app back-end.', fa: 'یک سایت از یک بک‌اند.' },
    params: CloudSiteParams,
    reply: { 200: SiteDetail },
    errors: ['SITE_NOT_FOUND'],
    handle: readSiteOfCloud,
  }),
  route({
    method: 'DELETE',
    path: '/v1/cloud/{id}/sites/{siteId}',
    operation: 'sites.delete_of_cloud',
    scope: 'cloud:hosting',
    stepUp: true,
    audited: true,
    summary: { en: 'Delete a site of an app back-end.', fa: 'حذف یک سایت از یک بک‌اند.' },
    params: CloudSiteParams,
    body: DeleteBody,
    reply: { 200: DeletedSite },
    errors: ['SITE_NOT_FOUND'],
    handle: removeSiteOfCloud,
  }),
]

export const routes: Route<SitesApp>[] = [...published, ...ofClouds]
