import type { Route } from '#platform/http'
import { route, type SitesApp } from '../app.ts'
import { SiteParams } from '../schema.ts'
import { checkDomainNow, claimDomain, deleteDomain, listDomains } from './domains.ts'
import { DeletedDomain, Domain, DomainBody, DomainList, DomainParams } from './schema.ts'

const path = '/v1/sites/{id}/domains'

export const domainRoutes: Route<SitesApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'sites.domains.list',
    scope: 'cloud:read',
    summary: {
      en: 'The domains of its own that a site has or claims, with the records that prove them.',
      fa: 'دامنه‌های اختصاصی سایت، چه ثابت‌شده و چه در انتظار، با رکوردی که هر یک را ثابت می‌کند.',
    },
    params: SiteParams,
    reply: { 200: DomainList },
    errors: ['SITE_NOT_FOUND'],
    handle: listDomains,
  }),
  route({
    method: 'POST',
    path,
    operation: 'sites.domains.create',
    scope: 'cloud:hosting',
    audited: true,
    summary: {
      en: 'Claim a domain. The answer names the TXT record that proves it.',
      fa: 'درخواست یک دامنه. پاسخ رکورد TXTای را نام می‌برد که مالکیت آن را ثابت می‌کند.',
    },
    idempotent: true,
    params: SiteParams,
    body: DomainBody,
    reply: { 201: Domain },
    errors: ['SITE_NOT_FOUND', 'TOO_MANY_DOMAINS'],
    handle: claimDomain,
  }),
  route({
    method: 'POST',
    path: `${path}/{domain}/check`,
    operation: 'sites.domains.check',
    scope: 'cloud:hosting',
    summary: {
      en: 'Look for the TXT record now. Otherwise it is looked for by itself, and daily once it is proven.',
      fa: 'جست‌وجوی رکورد TXT همین حالا. در غیر این صورت خودبه‌خود جسته می‌شود و پس از اثبات هر روز.',
    },
    params: DomainParams,
    reply: { 200: Domain },
    errors: ['SITE_NOT_FOUND', 'DOMAIN_NOT_FOUND', 'DOMAIN_TAKEN', 'TOO_MANY_CHECKS'],
    handle: checkDomainNow,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{domain}`,
    operation: 'sites.domains.delete',
    scope: 'cloud:hosting',
    audited: true,
    summary: { en: 'Give a domain up.', fa: 'رها کردن یک دامنه.' },
    params: DomainParams,
    reply: { 200: DeletedDomain },
    errors: ['SITE_NOT_FOUND', 'DOMAIN_NOT_FOUND'],
    handle: deleteDomain,
  }),
]
