/** Routes that read the audit log: of an account for its members, and of the installation for operators. */
import { route } from './app.ts'
import { readAudit, readInstallationAudit } from './read.ts'
import { AuditList, AuditQuery } from './schema.ts'

export { toEntry } from './read.ts'
export { namesIn } from './store.ts'

const routes = [
  route({
    method: 'GET',
    path: '/v1/audit',
    operation: 'audit.list',
    scope: 'audit:read',
    managementKeys: 'account',
    summary: {
      en: 'Who changed access, money or settings of the account, newest first. The role billing sees what is about money.',
      fa: 'چه کسی دسترسی، پول یا تنظیمات حساب را تغییر داد، تازه‌ترین نخست. نقش billing تنها تغییرهای پول را می‌بیند.',
    },
    query: AuditQuery,
    reply: { 200: AuditList },
    errors: [],
    handle: readAudit,
  }),
  route({
    method: 'GET',
    path: '/v1/operator/audit',
    operation: 'operator.audit',
    scope: 'person',
    summary: {
      en: 'Changes of the whole installation, which belong to no account, newest first. Only for operators.',
      fa: 'تغییرهای کل سرور که از آنِ هیچ حسابی نیستند، تازه‌ترین نخست. تنها برای گرداننده‌ها.',
    },
    query: AuditQuery,
    reply: { 200: AuditList },
    errors: ['OPERATOR_REQUIRED'],
    handle: readInstallationAudit,
  }),
]

export const auditLog = { name: 'audit', routes }
