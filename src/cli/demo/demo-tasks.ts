import { type Json } from '../../../packages/exact-json/json.js';

const mina = 'mina@demo.test';
const theo = 'theo@demo.test';
const ines = 'ines@demo.test';

function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

type Values = Readonly<Record<string, Json>>;

const vendor = (id: string, name: string, assignee: string | null, value: string, risk: string, more: Values = {}): Values => ({
  'Vendor ID': id,
  'Vendor Name': name,
  'Assigned To': assignee,
  ...(value !== '' && { 'Contract Value': value }),
  ...(risk !== '' && { Risk: risk }),
  ...more,
}); // prettier-ignore

const invoice = (number: number, amount: string, due: number, stage = 'Open'): Values => ({
  'Invoice ID': `INV-${number}`,
  Amount: amount,
  'Due Date': day(due),
  Stage: stage,
});

const review = { Stage: 'In Review' };
const approved = (days: number): Values => ({ Stage: 'Approved', 'Approved On': day(days) });

export const demoTasks: Readonly<Record<'vendors' | 'invoices', readonly Values[]>> = {
  vendors: [
    vendor('V-3', 'Aldgate Printing', theo, '4200.00', 'Low', { Regions: ['EMEA'] }),
    vendor('V-4', 'Blue Ridge Analytics', theo, '38000.00', 'Medium', {
      ...review,
      Regions: ['AMER'],
      'International?': true,
      'Expected Close Date': day(5),
      'Number of Employees': '140',
      Phone: '+1 303 555 0142',
      'Contact E-mail': 'sales@blue-ridge.test',
      Website: 'https://blue-ridge.test',
      'Account Owner': mina,
      Notes: 'Second offer, 12 % below the first. They would host in Frankfurt if we asked.',
    }),
    vendor('V-5', 'Cormorant Logistics', mina, '9500.00', 'Low', {
      ...review,
      'Expected Close Date': day(2),
    }),
    vendor('V-6', 'Delta Cleanroom Supply', theo, '9800.00', 'Medium', {
      ...review,
      Notes: 'Waits for the questionnaire on data protection.',
    }),
    vendor('V-7', 'Eastwind Translations', ines, '3600.00', 'Low', { Regions: ['APAC'] }),
    vendor('V-8', 'Fjord Data Centres', mina, '120000.00', 'High', { ...review, Regions: ['EMEA'] }),
    vendor('V-9', 'Granite Legal', mina, '18000.00', 'Low', approved(-5)),
    vendor('V-10', 'Hollis & Daughters', theo, '7400.00', 'Low', approved(-3)),
    vendor('V-11', 'Indigo Catering', theo, '5600.00', 'Low', approved(-3)),
    vendor('V-12', 'Juniper Payroll', mina, '46000.00', 'Medium', approved(-1)),
    vendor('V-13', 'Kestrel Couriers', null, '2900.00', 'High', {
      Stage: 'Rejected',
      Notes: 'No insurance that covers parcels.',
    }),
    vendor('V-14', 'Larkspur Interiors', ines, '1450.00', 'Low', { 'Expected Close Date': day(14) }),
    vendor('V-15', 'Meridian Freight Audit', theo, '4900.00', 'Medium', { Regions: ['AMER'] }),
    vendor('V-16', 'Northgate Security', mina, '', '', { 'Expected Close Date': day(8) }),
    vendor('V-17', 'Osprey Field Services', ines, '3100.00', 'Low', { Regions: ['APAC'] }),
    vendor('V-18', 'Pinewood Archive', theo, '', '', { 'Expected Close Date': day(30) }),
    vendor('V-1', 'Harbour Freight', mina, '12500.00', 'Low'),
    vendor('V-2', 'Northern Mills', null, '', 'High'),
  ],
  invoices: [
    invoice(1001, '9000.00', -4, 'Paid'),
    invoice(1002, '9000.00', 12),
    invoice(1003, '1850.00', -2, 'Paid'),
    invoice(1004, '5550.00', 6),
    invoice(1005, '2800.00', 1),
    invoice(1006, '2800.00', 16),
    invoice(1007, '11500.00', 3),
    invoice(1008, '11500.00', 18),
    invoice(1009, '640.00', -1, 'Paid'),
    invoice(1010, '1275.50', 9),
    invoice(1011, '310.00', 21),
  ],
};

export const invoicesOf: Readonly<Record<string, readonly string[]>> = {
  'V-9': ['INV-1001', 'INV-1002'],
  'V-10': ['INV-1003', 'INV-1004'],
  'V-11': ['INV-1005', 'INV-1006', 'INV-1009'],
  'V-12': ['INV-1007', 'INV-1008', 'INV-1010', 'INV-1011'],
};

/** The hours since each event of a task. Some are days, so that the figures of the demo show something. */
export const hoursSince: Readonly<Record<string, readonly number[]>> = {
  // The review is overdue: at the first start, the demo hands it to the administrator.
  'V-6': [168, 168],
  'V-3': [410],
  'V-7': [300],
  'V-14': [190],
  'V-15': [265],
  'V-17': [90],
  'V-4': [120, 9],
  'V-5': [52, 5],
  'V-8': [75, 7],
  'V-9': [310, 118],
  'V-10': [230, 74],
  'V-11': [205, 73],
  'V-12': [160, 26],
  'V-13': [140, 50],
  'V-16': [215],
  'V-18': [340],
  'V-1': [30],
  'V-2': [60],
  'INV-1001': [500, 120],
  'INV-1002': [240],
  'INV-1003': [420, 70],
  'INV-1004': [200],
  'INV-1005': [180],
  'INV-1009': [330, 40],
};

/** A vendor of the past weeks: its stages, and how many hours ago it entered each of them. */
interface PastVendor {
  readonly id: string;
  readonly values: Values;
  readonly stages: readonly string[];
  readonly hours: readonly number[];
}

const trades = ['Software', 'Logistics', 'Catering', 'Legal', 'Energy'];
const places = ['Alder', 'Birch', 'Cedar', 'Dover', 'Elmsford', 'Fenwick', 'Garnet', 'Hazel'];

/** Three or four vendors a week that were approved or rejected. One of them was reopened. */
export const pastVendors: readonly PastVendor[] = places.flatMap((place, row) =>
  trades.map((trade, column) => {
    const number = row * trades.length + column;
    const came = 24 * (84 - 1.9 * number);
    const reviewed = came - 24 * (0.4 + ((number * 7) % 5) * 0.6);
    const ended = Math.max(6, reviewed - 24 * (0.3 + ((number * 11) % 9) * (0.25 + number / 80)));
    const end = number % 6 === 5 ? 'Rejected' : 'Approved';
    const id = `V-${number + 601}`;
    const values = vendor(id, `${place} ${trade}`, [theo, mina, ines][number % 3] ?? theo, `${900 + number * 210}.00`, number % 4 ? 'Low' : 'Medium'); // prettier-ignore
    const isAgain = number === 17;
    return {
      id,
      values,
      stages: ['In Review', end, ...(isAgain ? ['In Review', end] : [])],
      hours: [came, reviewed, ended, ...(isAgain ? [ended - 60, ended - 90] : [])],
    };
  }),
);
