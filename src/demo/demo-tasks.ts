import { type Json } from '../../packages/exact-json/json.js';
import { ofField, say } from '../lib/message.js';

// The history of the demo: some days in the work of three people.

/** Tasks that a person has created or changed together. */
export interface Chapter {
  readonly workflow: 'vendors' | 'invoices';
  /** The e-mail of that person. */
  readonly by: string;
  readonly tasks: readonly Readonly<Record<string, Json>>[];
}

const mina = 'mina@demo.test';
const theo = 'theo@demo.test';
const ines = 'ines@demo.test';

/** The date that is so many days from today. */
function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

type Vendor = readonly [id: string, name: string, assignee: string | null, value: string, risk: string, close: number, region: string]; // prettier-ignore

const vendor = ([id, name, assignee, value, risk, close, region]: Vendor): Record<string, Json> => ({
  'Vendor ID': id,
  'Vendor Name': name,
  'Assigned To': assignee,
  ...(value !== '' && { 'Contract Value': value }),
  ...(risk !== '' && { Risk: risk }),
  ...(close !== 0 && { 'Expected Close Date': day(close) }),
  Regions: [region],
  'International?': region !== 'EMEA',
});

const moved = (stage: string, ids: readonly string[], more: Readonly<Record<string, Json>> = {}) =>
  ids.map((id) => ({ 'Vendor ID': id, Stage: stage, ...more }));

const invoice = (number: number, amount: string, due: number): Record<string, Json> => ({
  'Invoice ID': `INV-${number}`,
  Amount: amount,
  'Due Date': day(due),
});

export const chapters: readonly Chapter[] = [
  {
    workflow: 'vendors',
    by: mina,
    tasks: (
      [
        ['V-3', 'Aldgate Printing', theo, '4200.00', 'Low', -1, 'EMEA'],
        ['V-4', 'Blue Ridge Analytics', theo, '38000.00', 'Medium', 5, 'AMER'],
        ['V-5', 'Cormorant Logistics', mina, '9500.00', 'Low', 2, 'EMEA'],
        ['V-6', 'Delta Cleanroom Supply', theo, '9800.00', 'Medium', 9, 'EMEA'],
        ['V-7', 'Eastwind Translations', ines, '3600.00', 'Low', 12, 'APAC'],
        ['V-8', 'Fjord Data Centres', mina, '120000.00', 'High', 20, 'EMEA'],
        ['V-9', 'Granite Legal', mina, '18000.00', 'Low', 11, 'AMER'],
        ['V-10', 'Hollis & Daughters', theo, '7400.00', 'Low', 13, 'EMEA'],
        ['V-11', 'Indigo Catering', theo, '5600.00', 'Low', 15, 'EMEA'],
        ['V-12', 'Juniper Payroll', mina, '46000.00', 'Medium', 7, 'APAC'],
        ['V-13', 'Kestrel Couriers', theo, '2900.00', 'High', 10, 'EMEA'],
      ] satisfies Vendor[]
    ).map(vendor),
  },
  {
    workflow: 'vendors',
    by: theo,
    tasks: [
      {
        ...{ 'Vendor ID': 'V-4', Stage: 'In Review', 'Number of Employees': '140', Phone: '+1 303 555 0142' },
        ...{
          'Contact E-mail': 'sales@blue-ridge.test',
          Website: 'https://blue-ridge.test',
          'Account Owner': mina,
        },
        Notes: 'Second offer, 12 % below the first. They would host in Frankfurt if we asked.',
      },
      ...moved('In Review', ['V-5', 'V-9', 'V-10', 'V-11', 'V-12', 'V-13']),
      ...moved('In Review', ['V-6', 'V-8'], { Notes: 'Waits for the questionnaire on data protection.' }),
    ],
  },
  {
    workflow: 'vendors',
    by: mina,
    tasks: [
      ...moved('Approved', ['V-9'], { 'Approved On': day(-5) }),
      ...moved('Approved', ['V-10', 'V-11'], { 'Approved On': day(-3) }),
    ],
  },
  {
    workflow: 'invoices',
    by: theo,
    tasks: [
      invoice(1001, '9000.00', -4),
      invoice(1002, '9000.00', 12),
      invoice(1003, '1850.00', -2),
      invoice(1004, '5550.00', 6),
      invoice(1005, '2800.00', 1),
      invoice(1006, '2800.00', 16),
      invoice(1007, '11500.00', 3),
      invoice(1008, '11500.00', 18),
      invoice(1009, '640.00', -1),
      invoice(1010, '1275.50', 9),
      invoice(1011, '310.00', 21),
      { ...invoice(0, '9500.00', 4), 'Invoice ID': 'INV-V-5-1' },
    ],
  },
  {
    workflow: 'vendors',
    by: ines,
    tasks: (
      [
        ['V-14', 'Larkspur Interiors', ines, '1450.00', 'Low', 14, 'EMEA'],
        ['V-15', 'Meridian Freight Audit', theo, '4900.00', 'Medium', 17, 'AMER'],
        ['V-16', 'Northgate Security', mina, '', '', 8, 'EMEA'],
        ['V-17', 'Osprey Field Services', ines, '3100.00', 'Low', 0, 'APAC'],
        ['V-18', 'Pinewood Archive', theo, '', '', 30, 'EMEA'],
      ] satisfies Vendor[]
    ).map(vendor),
  },
  {
    workflow: 'vendors',
    by: mina,
    tasks: [
      ...moved('Approved', ['V-12'], { 'Approved On': day(-1) }),
      ...moved('Rejected', ['V-13'], { Notes: 'No insurance that covers parcels.', 'Assigned To': null }),
    ],
  },
  {
    workflow: 'invoices',
    by: mina,
    tasks: ['INV-1001', 'INV-1003', 'INV-1009'].map((id) => ({ 'Invoice ID': id, Stage: 'Paid' })),
  },
  {
    workflow: 'vendors',
    by: mina,
    tasks: [
      {
        'Vendor ID': 'V-1',
        'Vendor Name': 'Harbour Freight',
        'Contract Value': '12500.00',
        Risk: 'Low',
        'Assigned To': mina,
      },
      { 'Vendor ID': 'V-2', 'Vendor Name': 'Northern Mills', Risk: 'High' },
    ],
  },
];

/** The invoices of each vendor. */
export const invoicesOf: Readonly<Record<string, readonly string[]>> = {
  'V-5': ['INV-V-5-1'],
  'V-9': ['INV-1001', 'INV-1002'],
  'V-10': ['INV-1003', 'INV-1004'],
  'V-11': ['INV-1005', 'INV-1006', 'INV-1009'],
  'V-12': ['INV-1007', 'INV-1008', 'INV-1010', 'INV-1011'],
};

/** The completed checklist items of vendors. */
export const ticked: Readonly<Record<string, readonly string[]>> = {
  'V-4': ['Check the company register'],
  'V-8': ['Check the company register'],
  ...Object.fromEntries(
    ['V-5', 'V-9', 'V-10', 'V-11', 'V-12'].map((id) => [
      id,
      ['Check the company register', 'Screen against sanctions lists'],
    ]),
  ),
};

/** Comments on vendors, with their authors. */
export const comments: readonly (readonly [vendor: string, author: string, body: string])[] = [
  ['V-4', theo, 'Their **DPA** is signed. The security questionnaire is promised for Thursday.'],
  ['V-4', mina, 'Thank you! Please ask for the sub-processors, too.'],
  ['V-8', theo, 'High risk because all our backups would be with them:\n\n- second site: *not yet visited*\n- ISO 27001: valid until March'],
  ['V-8', mina, 'I visit the second site next week. Do not approve before that.'],
  ['V-6', theo, 'Prices are the ones of last year. Nothing to negotiate.'],
  ['V-5', mina, 'Approved twice, and twice it failed: `INV-V-5-1` was typed in by hand before. Who deletes it?'],
  ['V-9', mina, 'All set. First invoice is paid.'],
  ['V-13', theo, 'Asked three times for the insurance certificate.'],
  ['V-7', ines, 'New contact since Monday: Ms Okada.'],
  ['V-16', mina, 'Waiting for the offer.'],
]; // prettier-ignore

/** Contracts that vendors have sent. */
export const contracts: readonly (readonly [vendor: string, filename: string, text: string])[] = [
  ['V-5', 'cormorant-logistics-2026.txt', 'Framework agreement between Demo and Cormorant Logistics.\n'],
  ['V-9', 'granite-legal.txt', 'Letter of engagement.\n'],
  ['V-4', 'blue-ridge-offer.txt', 'Offer 2026-118, valid for 60 days.\n'],
];

/** The vendor with an overdue review: at the first start, the clock of the demo hands it to the administrator. */
export const late = 'V-6';

/** An approval that failed, because the task it was to create existed already. */
export const failed = {
  vendor: 'V-5',
  performer: mina,
  action: 'approve',
  step: 'Open the first invoice',
  error: say`${'Open the first invoice'}: ${ofField('Invoice ID', 'has already been taken')}`,
};
