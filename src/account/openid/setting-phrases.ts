/** Sentences of refused settings. Each completes one of `refusals` of `#platform/config`. */
import type { Sentence } from '#platform/config'

export const sentences = {
  id: {
    en: 'a name of at most 32 small letters, digits and hyphens that begins with a letter, such as acme',
    fa: 'نامی از حداکثر ۳۲ حرف کوچک لاتین، رقم و خط تیره که با حرف آغاز شود، مانند acme',
  },
  name: {
    en: 'the name that people see on the button, of at most 60 characters',
    fa: 'نامی را که مردم روی دکمه می‌بینند، با حداکثر ۶۰ کاراکتر',
  },
  issuer: {
    en: 'the issuer exactly as the provider names it: an https:// address without login, query or fragment (http:// only on this machine)',
    fa: 'صادرکننده را درست همان‌گونه که ارائه‌دهنده نام می‌برد: نشانی‌ای با https:// و بدون نام ورود، پرسش و # (http:// تنها روی همین دستگاه)',
  },
  clientId: {
    en: 'the client id that the provider gave to this installation',
    fa: 'شناسهٔ کلاینت را که ارائه‌دهنده به این نصب داده است',
  },
  clientSecret: {
    en: `the client secret that the provider gave to this installation, best as \${NAME} of an environment variable`,
    fa: `راز کلاینت را که ارائه‌دهنده به این نصب داده است، بهتر از همه به شکل \${NAME} از یک متغیر محیطی`,
  },
  scope: { en: 'a scope of the provider, such as groups', fa: 'یک scope ارائه‌دهنده، مانند groups' },
  tenant: {
    en: 'the tenant: the UUID of the directory (Entra), or the domain of the organisation (Google)',
    fa: 'مستأجر را: UUID دایرکتوری (Entra) یا دامنهٔ سازمان (Google)',
  },
  entraTenant: {
    en: 'the UUID of the tenant, as the portal shows it under "Directory (tenant) ID"',
    fa: 'UUID مستأجر را، همان که درگاه زیر «Directory (tenant) ID» نشان می‌دهد',
  },
  tenantMissing: {
    en: 'this issuer serves many tenants, whose people must not be confused; write the UUID of the one that may sign in',
    fa: 'این صادرکننده مستأجرهای بسیار دارد که نباید با هم اشتباه شوند؛ UUID همان را که اجازهٔ ورود دارد بنویسید',
  },
  tenantNeedless: {
    en: 'names a tenant, but this issuer serves one alone: remove the line, or correct the issuer',
    fa: 'مستأجری نام برده، ولی این صادرکننده تنها یکی دارد: این خط را بردارید یا صادرکننده را درست کنید',
  },
  claim: {
    en: 'the name of a claim, such as groups',
    fa: 'نام یک claim، مانند groups',
  },
  value: {
    en: 'the value of the claim that makes a member, in quotes',
    fa: 'مقداری از claim را که عضو می‌سازد، در گیومه',
  },
  account: {
    en: 'the id of the account, as `kherad account list` shows it',
    fa: 'شناسهٔ حساب را، همان که `kherad account list` نشان می‌دهد',
  },
  project: { en: 'the id of a project of the account', fa: 'شناسهٔ یک پروژهٔ همین حساب' },
  role: { en: 'one of admin, developer, billing, viewer', fa: 'یکی از admin، developer، billing و viewer' },
  roleTooHigh: (role: string): Sentence => ({
    en: `is ${role}, which no claim may give: write admin, developer, billing or viewer, and let an owner or operator give more by hand`,
    fa: `برابر ${role} است که هیچ claim نمی‌تواند بدهد: admin، developer، billing یا viewer بنویسید و بیش از آن را مالک یا گرداننده با دست خود بدهد`,
  }),
  providers: (max: number): Sentence => ({
    en: `a list of at most ${max} providers`,
    fa: `فهرستی با حداکثر ${max} ارائه‌دهنده`,
  }),
  rules: (max: number): Sentence => ({
    en: `a list of at most ${max} memberships`,
    fa: `فهرستی با حداکثر ${max} عضویت`,
  }),
  noBaseUrl: {
    en: 'needs KHERAD_BASE_URL, the public address of this installation: providers send people back to it alone',
    fa: 'به KHERAD_BASE_URL نیاز دارد، نشانی عمومی این نصب: ارائه‌دهنده مردم را تنها به همان نشانی بازمی‌گرداند',
  },
  insecureBaseUrl: {
    en: 'needs a KHERAD_BASE_URL that begins with https:// (http:// only for localhost): codes of sign-ins come back to it',
    fa: 'به KHERAD_BASE_URLی نیاز دارد که با https:// آغاز شود (http:// تنها برای localhost): کدهای ورود به آن بازمی‌گردند',
  },
} satisfies Record<string, Sentence | ((value: never) => Sentence)>
