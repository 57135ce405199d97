// SPDX-License-Identifier: Apache-2.0
// nvcc -arch=sm_80 -maxrregcount 64 -cubin -o spill.cubin spill.cu
__global__ void __launch_bounds__(128) spiller(float*p,int n){ float a[200]; 
#pragma unroll
 for(int i=0;i<200;i++) a[i]=p[i*n+threadIdx.x];
 __syncthreads();
 for(int k=0;k<n;k++){
#pragma unroll
 for(int i=0;i<200;i++) a[i]=a[i]*a[(i*7+3)%200]+p[k]; }
#pragma unroll
 for(int i=0;i<200;i++) p[i*n+threadIdx.x]=a[i]; }
__global__ void plain(float*p){ __shared__ float s[64]; s[threadIdx.x&63]=p[threadIdx.x]; __syncthreads(); p[threadIdx.x]=s[63-(threadIdx.x&63)]; }
